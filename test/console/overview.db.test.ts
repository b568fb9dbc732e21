import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { accounts, bankAccount, tokensOn } from '../../src/ledger/book/accounts.ts';
import { recordEntries } from '../../src/ledger/book/entries.ts';
import { recordSignerAmounts } from '../../src/ledger/lanes/signer-amounts.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { recordBreach } from '../../src/ledger/reserve/breaches.ts';
import { recordReserveSamples } from '../../src/ledger/reserve/samples.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { profileInReview } from './support/profile-in-review.ts';
import { useTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const signer = lowerAddress(`0x${'5'.repeat(40)}`);

const console = useTestConsole({ env: { FOUR_EYES: 'yes' } });
const viewer = forWholeFile(() => console.signedIn('viewer'));

beforeAll(async () => {
  await inTransaction(console.ledger, (tx) =>
    recordEntries(tx, [
      { kind: 'credit', source: 'c1', debit: bankAccount('main'), credit: accounts.issue, currency: 'eur', amount: minorUnits(12_550n) },
      { kind: 'issued', source: 'c1', debit: accounts.issue, credit: tokensOn('gnosis'), currency: 'eur', amount: minorUnits(10_000n) },
    ]),
  );
});

it('the reserve is the money at the bank, the tokens and the money under way, and what they differ by', async () => {
  const { json } = await viewer.get('/api/overview/reserve');
  expect(json.reserves).toMatchObject([
    {
      currency: 'eur',
      bank: { total: '125.50', accounts: [{ name: 'main', amount: '125.50' }] },
      tokens: { total: '100.00', networks: [{ name: 'gnosis', amount: '100.00' }] },
      underWay: { total: '25.50' },
      difference: '0.00',
    },
  ]);
});

it('the status names what needs a person, with its remedy', async () => {
  const { json } = await viewer.get('/api/overview/status');
  expect(json.problems).toContainEqual(expect.objectContaining({ kind: 'worker_missing', text: expect.any(String) }));
  expect(json).toMatchObject({ orders: { placed: 0, pending: 0 }, components: [], openLegs: [] });
});

async function profilesInReview() {
  return (await viewer.get('/api/overview/status')).json.problems.filter(({ kind }: { kind: string }) => kind === 'profiles_in_review');
}

it('profiles in review are named with who decides about them, and are overdue after a working day', async () => {
  const { profile } = await profileInReview(console, { name: 'Jón' });
  const entry = { for: 'reviewer', page: '/customers', severity: 'needs a person', title: 'Profiles wait for a review' };
  const text = expect.stringContaining(`1 profile waits for a review, the oldest ${profile}`) as string;
  expect(await profilesInReview()).toMatchObject([{ ...entry, text, overdue: false }]);
  for (const table of ['profile_sections', 'profile_verifications'])
    await sql`update ${sql.table(table)} set updated_at = now() - interval '5 days' where profile = ${profile}`.execute(console.ledger);
  expect(await profilesInReview()).toMatchObject([{ overdue: true }]);
  await sql`update profiles set state = 'approved' where id = ${profile}`.execute(console.ledger);
  expect(await profilesInReview()).toEqual([]);
});

it('samples are kept for each minute and hour once, and old ones go', async () => {
  const sample = { currency: 'eur', bank: minorUnits(3n), underWay: minorUnits(1n), circulation: { gnosis: minorUnits(2n) } };
  await sql`insert into reserve_samples values ('minute', now() - interval '25 hours', 'eur', 1, 1, '{}')`.execute(console.ledger);
  await recordReserveSamples(console.ledger, [sample]);
  await recordReserveSamples(console.ledger, [{ ...sample, bank: minorUnits(9n) }]);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from reserve_samples`.execute(console.ledger);
  expect(rows).toEqual([{ count: expect.toSatisfy((count: number) => count === 2 || count === 3) }]);
  const { json } = await viewer.get('/api/overview/history?currency=eur&range=hour');
  expect(json.samples[0]).toMatchObject({ bank: '0.03', underWay: '0.01', tokens: '0.02', circulation: { gnosis: '0.02' } });
});

it('the activity of an hour without orders is none', async () => {
  expect((await viewer.get('/api/overview/activity')).json).toEqual({
    minutes: [],
    medianSeconds: null,
    slowestTwentiethSeconds: null,
    isShortened: false,
  });
});

it('what a signer has left is in whole units, with the days that it lasts', async () => {
  const lane = { chain: 'gnosis', signer } as const;
  await recordSignerAmounts(console.ledger, lane, [{ resource: 'gas', amount: 3n * 10n ** 18n }]);
  await recordSignerAmounts(console.ledger, lane, [{ resource: 'gas', amount: 2n * 10n ** 18n }]);
  expect((await viewer.get('/api/overview/signers')).json.signers).toMatchObject([
    { chain: 'gnosis', signer, resource: 'gas', symbol: 'xDAI', left: '2', days: 2 },
  ]);
});

it('a difference that stops a currency is acknowledged by two people, with what explains it to the cent', async () => {
  const subject = { comparison: 'index', currency: 'usd', account: tokensOn('gnosis'), chain: 'gnosis' } as const;
  await recordBreach(console.ledger, subject, minorUnits(500n));
  const { json } = await viewer.get('/api/overview/reserve');
  expect(json.breaches).toMatchObject([{ comparison: 'index', currency: 'usd', account: subject.account, difference: '5.00' }]);

  const [asker, second] = [await console.signedIn('treasurer'), await console.signedIn('administrator')];
  const { chain: _, ...named } = subject;
  const input = { ...named, items: ['6.00 forged in 0x12', '-1.00 rounded'], books: true, reason: 'A key was stolen' };
  expect(await asker.act('reserve.acknowledge', { ...input, items: ['forged'] })).toMatchObject({ status: 400 });
  const { json: asked } = await asker.act('reserve.acknowledge', input);
  const { json: approval } = await second.get(`/api/approvals/${asked.approval}`);
  expect(approval.description).toMatch(
    /differs by 5.00 USD, found at 2\d{3}-.*Z, which is explained by: 6.00 forged in 0x12; -1.00 rounded. The difference is booked/,
  );
  const { json: late } = await (await console.signedIn('treasurer')).act('reserve.acknowledge', input);
  await second.post(`/api/approvals/${asked.approval}/approve`, { digest: approval.digest });
  expect((await viewer.get('/api/overview/reserve')).json.breaches).toEqual([]);
  expect(await asker.act('reserve.acknowledge', input)).toMatchObject({
    status: 404,
    json: { code: 'not_found', message: expect.stringContaining('There is no open breach') as string },
  });

  // A later difference over the same amount has another cause, which nobody has explained.
  await recordBreach(console.ledger, subject, minorUnits(500n));
  expect(await second.decide(late.approval)).toMatchObject({
    status: 409,
    json: { code: 'not_as_shown', message: expect.stringContaining('This has changed since it was read') as string },
  });
});
