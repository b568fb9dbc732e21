import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createIbanRange } from '../../src/bank/iban-range.ts';
import { approveIbans, assignIbanNumbers } from '../../src/ledger/customers/ibans.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createLog } from '../../src/platform/log.ts';
import { createWaker } from '../../src/platform/queue/waker.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { createIbanWorker } from '../../src/workers/ibans.ts';
import { noWakeUps } from '../support/no-wake-ups.ts';
import { until } from '../support/until.ts';
import { testLedger } from '../support/test-ledger.ts';

const database = testLedger();
const { ledger } = database;
const log = createLog('silent');
const { compose } = createIbanRange({ bankIbanCountry: 'IS', bankIbanPrefix: '0159' });

async function request(): Promise<string> {
  const user = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Jane' });
  const profile = await createProfile(ledger, { kind: 'personal', name: 'Jane', state: 'approved', owner: user });
  const address = lowerAddress(`0x${randomUUID().replaceAll('-', '').padEnd(40, '0')}`);
  await ledger.insertInto('addresses').values({ address, profile }).execute();
  await ledger.insertInto('addressLinks').values({ address, chain: 'chiado', linkedBy: user }).execute();
  await ledger
    .insertInto('ibans')
    .values({ profile, address, chain: 'chiado', iban: null, bic: null, correlationId: 'a-request' })
    .execute();
  return profile;
}

async function stateOf(profile: string): Promise<string | undefined> {
  return (await ledger.selectFrom('ibans').where('profile', '=', profile).select('state').executeTakeFirst())?.state;
}

const isApproved = (profile: string) => until('it is approved', async () => (await stateOf(profile)) === 'approved' || undefined);

describe('the assignment of IBANs', () => {
  it('gives each request a number of its own, however many workers there are, and announces it once', async () => {
    const profiles = await Promise.all(Array.from({ length: 20 }, request));
    const options = { compose, bic: 'MNTRIS22', limit: 3 };
    const work = async () => {
      while ((await assignIbanNumbers(ledger, options)) > 0);
      while ((await approveIbans(ledger, 3)).length > 0);
    };
    await Promise.all([work(), work(), work(), work()]);
    await work();
    const rows = await ledger.selectFrom('ibans').where('profile', 'in', profiles).selectAll().execute();
    expect(new Set(rows.map(({ iban }) => iban)).size).toBe(20);
    expect(rows.every(({ state, bic }) => state === 'approved' && bic === 'MNTRIS22')).toBe(true);
    const events = await ledger.selectFrom('events').where('profile', 'in', profiles).select(['type', 'subject']).execute();
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['iban.updated']));
  });

  it('is done on a wake-up, and by the sweep when no wake-up came, and is logged with the request that asked for it', async () => {
    const lines: string[] = [];
    const settings = loadSettings({ DATABASE_URL: database.url, MINTRAIL_ENVIRONMENT: 'sandbox' });
    const waker = createWaker(settings, log);
    const worker = createIbanWorker({ settings, ledger, log: createLog('info', {}, { write: (line) => lines.push(line) }), waker });
    const swept = await request();
    await isApproved(swept);
    const woken = await request();
    waker.wake('ibans');
    await isApproved(woken);
    await Promise.all([worker.close(), waker.close()]);
    const named = lines.map((line) => JSON.parse(line) as object);
    expect(named).toMatchObject([swept, woken].map((profile) => ({ profile, correlationId: 'a-request' })));
    const events = await ledger.selectFrom('events').where('profile', 'in', [swept, woken]).select('correlationId').execute();
    expect(events.map(({ correlationId }) => correlationId)).toEqual(['a-request', 'a-request']);
  });

  it('refuses to start with a country in which it cannot make an IBAN', () => {
    const settings = loadSettings({ DATABASE_URL: database.url, BANK_IBAN_COUNTRY: 'FR', BANK_IBAN_PREFIX: '0159' });
    expect(() => createIbanWorker({ settings, ledger, log, waker: noWakeUps })).toThrow('BANK_IBAN_COUNTRY');
  });
});
