import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createApplication } from '../../../src/ledger/access/applications.ts';
import { decideProfile, reviewSimulated } from '../../../src/ledger/customers/profile-review.ts';
import { findProfile } from '../../../src/ledger/customers/profile-sections.ts';
import { submitSection } from '../../../src/ledger/customers/profile-submissions.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import type { ProfileState } from '../../../src/schema/states.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { startProfileReview } from '../../../src/workers/profile-review.ts';
import { runCommonWorker } from '../../../src/workers/run-common-worker.ts';
import { type TestDatabase, createTestDatabase } from '../../support/database.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testSecretsKey } from '../../support/test-sealer.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let ledger: Ledger;
let application: string;
beforeAll(async () => {
  database = await createTestDatabase();
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Jane' });
  application = (await createApplication(ledger, { kind: 'whitelabel', name: 'Shop', owner })).id;
});
afterAll(async () => {
  await ledger.destroy();
  await database.drop();
});

const create = (state: ProfileState = 'incomplete') => createProfile(ledger, { kind: 'personal', name: '', state, application });
const stateOf = async (id: string) => (await findProfile(ledger, id))?.state;
const personalKinds = ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'];

async function complete(id: string, lastName = 'Karlsson'): Promise<string> {
  await submitSection(ledger, id, { section: 'details', data: { firstName: 'Anna', lastName }, name: `Anna ${lastName}` }, 'test');
  await submitSection(ledger, id, { section: 'form', data: { tin: '1' } }, 'test');
  const updates = personalKinds.map((kind) => ({ kind, documents: [] }));
  await submitSection(ledger, id, { section: 'verifications', updates }, 'test');
  return id;
}

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
    else await expect(decided).rejects.toMatchObject({ code: 'profile_not_in_review' });
  });

  it('are never decided for a profile that does not exist', async () => {
    await expect(decideProfile(ledger, randomUUID(), { decision: 'approved' }, { by: 'test' })).rejects.toMatchObject({
      code: 'unknown_profile',
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

describe('the common worker', () => {
  it.each([
    ['sandbox', 'approved'],
    ['production', 'pending'],
  ])('reviews in the %s: a complete profile ends %s', async (MINTRAIL_ENVIRONMENT, state) => {
    const bank = { BANK_BIC: 'ABCDIS22', BANK_IBAN_COUNTRY: 'IS', BANK_IBAN_PREFIX: '0133' };
    const settings = { DATABASE_URL: database.url, MINTRAIL_ENVIRONMENT, LOG_LEVEL: 'silent', SECRETS_KEY: testSecretsKey, ...bank };
    const worker = await runCommonWorker(loadSettings(settings));
    const id = await complete(await create());
    // Three turns of the loop.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    if (state !== 'pending') await until(`it is ${state}`, async () => ((await stateOf(id)) === state ? true : undefined));
    expect(await stateOf(id)).toBe(state);
    await worker.close();
  });
});

const run = (...args: string[]) => mintrail(['profile', ...args], { DATABASE_URL: database.url });

describe('the command mintrail profile', () => {
  it('lists, shows and decides, once', async () => {
    const id = await complete(await create(), 'Review');
    expect((await run('list', '--state', 'pending')).stdout).toMatch(new RegExp(`${id}.*Anna Review\\s+pending`));
    const shown = JSON.parse((await run('show', id)).stdout) as Record<string, unknown>;
    expect(shown).toMatchObject({ state: 'pending', sections: [{ data: { lastName: 'Review' } }, { data: { tin: '1' } }], reviews: [] });
    const back = await run('review', id, '--incomplete', 'details.birthday=differs from the passport', 'idDocument=blurred', '--yes');
    expect(back).toEqual({ code: 0, stdout: `The profile ${id} is incomplete.\n`, stderr: '' });
    const again = await run('review', id, '--approve', '--yes');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('(profile_not_in_review)') as string });
    await complete(id);
    expect(JSON.parse((await run('review', id, '--reject', 'false papers', '--json', '--yes')).stdout)).toMatchObject({ state: 'rejected' });
    const { reviews } = JSON.parse((await run('show', id)).stdout) as { reviews: unknown[] };
    expect(reviews).toMatchObject([
      { decision: 'incomplete', errors: [{ field: 'details.birthday', reason: 'differs from the passport' }, { field: 'idDocument' }] },
      { decision: 'rejected', reason: 'false papers', decidedBy: expect.stringMatching(/^operator /) },
    ]);
  });

  it('ends with 2 without one decision, and with 1 for what is not there', async () => {
    const id = randomUUID();
    expect((await run('review', id)).code).toBe(2);
    expect((await run('review', id, '--approve', '--reject', 'x')).code).toBe(2);
    expect((await run('review', id, '--incomplete', 'nonsense')).code).toBe(2);
    expect(await run('review', id, '--approve', '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('(unknown_profile)') as string });
    expect(await run('show', 'nonsense')).toMatchObject({ code: 1, stderr: expect.stringContaining('(unknown_profile)') as string });
  });
});
