import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { decideProfile, reviewSimulated } from '../../../src/ledger/customers/profile-review.ts';
import { findProfile } from '../../../src/ledger/customers/profile-sections.ts';
import { submitSection } from '../../../src/ledger/customers/profile-submissions.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import type { ProfileState } from '../../../src/schema/states.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { createLog } from '../../../src/platform/log.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { startProfileReview } from '../../../src/workers/profile-review.ts';
import { runCommonWorker } from '../../../src/workers/run-common-worker.ts';
import { testSecretsKey } from '../../support/test-sealer.ts';
import { completeProfile } from '../../support/complete-profile.ts';
import { until } from '../../support/until.ts';
import { testLedger } from '../../support/test-ledger.ts';

const database = testLedger();
const { ledger } = database;
let application: string;
beforeAll(async () => {
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Jane' });
  application = (await createApplication(ledger, { kind: 'whitelabel', name: 'Shop', owner })).id;
});
const create = (state: ProfileState = 'incomplete') => createProfile(ledger, { kind: 'personal', name: '', state, application });
const stateOf = async (id: string) => (await findProfile(ledger, id))?.state;
const complete = (id: string, lastName?: string) => completeProfile(ledger, id, lastName);

const states: ProfileState[] = ['created', 'incomplete', 'pending', 'approved', 'rejected'];

it('the simulated review names the request that completed the profile, in its log line and in its event', async () => {
  const id = await complete(await create());
  expect(await reviewSimulated(ledger, 100)).toContainEqual({ profile: id, decision: 'approved', correlationId: 'test' });
  const events = await ledger.selectFrom('events').where('subject', '=', id).select('correlationId').execute();
  expect(new Set(events.map(({ correlationId }) => correlationId))).toEqual(new Set(['test']));
});

describe('the states of a profile', () => {
  it.each(states)('%s: what may be given and decided', async (state) => {
    const id = await create(state);
    const given = submitSection(ledger, id, { section: 'form', data: {} }, 'test');
    const takes = state === 'created' || state === 'incomplete';
    const refusal: Record<string, string> = { pending: 'profile_in_review', approved: 'profile_approved', rejected: 'profile_rejected' };
    if (takes) expect(await given).toMatchObject({ state: 'incomplete', form: { state: 'pending' } });
    else await expect(given).rejects.toMatchObject({ code: refusal[state] });
    const decided = decideProfile(ledger, id, { decision: 'approved' }, { by: 'test' });
    if (state === 'pending') expect((await decided).state).toBe('approved');
    else
      await expect(decided).rejects.toMatchObject({
        code: 'profile_not_in_review',
        message: expect.stringContaining(`Only a profile in review can be decided: the profile ${id} is `),
      });
  });

  it('are never decided for a profile that does not exist', async () => {
    await expect(decideProfile(ledger, randomUUID(), { decision: 'approved' }, { by: 'test' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no profile') as string,
    });
  });

  it('end in one of two: whoever submits and decides at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, async () => complete(await create())));
    await Promise.allSettled(
      ids.flatMap((id) => [
        decideProfile(ledger, id, { decision: 'incomplete', errors: [{ field: 'form', reason: 'x' }] }, { by: 'one' }),
        submitSection(ledger, id, { section: 'form', data: {} }, 'test'),
        decideProfile(ledger, id, { decision: 'approved' }, { by: 'two' }),
      ]),
    );
    for (const id of ids) {
      const { state = '', form } = (await findProfile(ledger, id)) ?? {};
      expect(['approved approved', 'pending pending', 'incomplete incomplete']).toContain(`${state} ${form?.state}`);
    }
  });
});

describe('the simulated review', () => {
  it('is done by the common worker, and writes no personal data into the log', async () => {
    const lines: unknown[] = [];
    const log = { ...createLog('silent'), info: (...line: unknown[]) => lines.push(line) } as unknown as ReturnType<typeof createLog>;
    const worker = startProfileReview({ ledger, log });
    const [approved, rejected, kept] = [await create(), await create(), await create()];
    await Promise.all([complete(approved), complete(rejected, 'Reject'), complete(kept, 'Review')]);
    await until('it is approved', async () => ((await stateOf(approved)) === 'approved' ? true : undefined));
    await until('it is rejected', async () => ((await stateOf(rejected)) === 'rejected' ? true : undefined));
    expect(await stateOf(kept)).toBe('pending');
    await worker.close();
    expect(JSON.stringify(lines)).toContain(approved);
    expect(JSON.stringify(lines)).not.toMatch(/Anna|Karlsson/);
  });
});

const waiting = async (subject: string) =>
  (await ledger.selectFrom('events').where('subject', '=', subject).where('position', 'is', null).select('id').execute()).length;

describe('the common worker', () => {
  it.each([
    ['sandbox', 'approved'],
    ['production', 'pending'],
  ])('reviews in the %s: a complete profile ends %s', async (MINTRAIL_ENVIRONMENT, state) => {
    const bank = { BANK_BIC: 'ABCDIS22', BANK_IBAN_COUNTRY: 'IS', BANK_IBAN_PREFIX: '0133' };
    const settings = { DATABASE_URL: database.url, MINTRAIL_ENVIRONMENT, LOG_LEVEL: 'silent', SECRETS_KEY: testSecretsKey, ...bank };
    const worker = await runCommonWorker(loadSettings(settings));
    const id = await complete(await create());
    if (state !== 'pending') await until(`it is ${state}`, async () => ((await stateOf(id)) === state ? true : undefined));
    // The worker does what else there is to do, and leaves it.
    for (let turn = 0; turn < 3; turn += 1) {
      const other = await complete(await create());
      await until('its events are dispatched', async () => ((await waiting(other)) === 0 ? true : undefined));
    }
    expect(await stateOf(id)).toBe(state);
    await worker.close();
  });
});
