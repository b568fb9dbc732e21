import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { markFailed } from '../../src/ledger/lanes/transactions.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { beginRecovery } from '../../src/ledger/recoveries.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { requestSignature } from '../../src/ledger/orders/signature-requests.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { boundsOf } from '../../src/problems/bounds.ts';
import { ledgerProblems } from '../../src/problems/ledger-problems.ts';
import { readStatus } from '../../src/problems/read-status.ts';
import { createExplainingPool } from '../../bench/history/executed-plans.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { sendReady } from '../support/claim-ready.ts';

const settings = loadSettings({ DATABASE_URL: 'postgres://unused' });
const signer = lowerAddress(`0x${'5'.repeat(40)}`);
const token = lowerAddress(`0x${'7'.repeat(40)}`);
// It makes states that no transition makes.
const world = testPayments({ isBooked: false });

/** What is wrong when everything so far happened so many seconds ago. */
async function problemsAfter(seconds: number) {
  const { ledger } = world;
  for (const [table, columns] of Object.entries(clocks))
    for (const column of columns)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})`.execute(ledger);
  return ledgerProblems(ledger, boundsOf(settings, new Date()));
}

const clocks = {
  openLegs: ['due_at', 'created_at'],
  orders: ['placed_at'],
  transactions: ['created_at'],
  payments: ['created_at', 'sent_at'],
  payment_files: ['created_at'],
  signature_requests: ['created_at'],
};

async function credit() {
  const [order = ''] = await issueCredits(world.ledger, [creditTo(world.customer.iban, 100n)]);
  return order;
}

const send = async () => (await sendReady(world.ledger, { chain: 'chiado', signer, tokens: { eur: token }, nonce: 4n })).id;

const named = (problems: Awaited<ReturnType<typeof problemsAfter>>) => problems.map(({ kind, chain, subject }) => [kind, chain, subject]);

describe('the ledger names', () => {
  it('legs that are older than the bound of their network, and nothing before', async () => {
    const order = await credit();
    await credit();
    expect(await problemsAfter(300)).toEqual([]);
    expect(await problemsAfter(60)).toMatchObject([
      { kind: 'legs_overdue', chain: 'chiado', subject: 'issue', text: expect.stringContaining(`mintrail orders show ${order}`) as string },
    ]);
  });

  it('legs whose transactions revert again and again: a retry makes none younger', async () => {
    await credit();
    await problemsAfter(400);
    const mined = { hash: '0x1', blockNumber: 1n, blockHash: '0x1', gasUsed: 1n };
    await markFailed(world.ledger, await send(), { state: 'reverted', ...mined });
    expect(named(await problemsAfter(0))).toEqual([['legs_overdue', 'chiado', 'issue']]);
  });

  it('no leg that its gas budget holds, and no account that waits after failures, as long as they do', async () => {
    const { ledger, customer } = world;
    const order = await credit();
    const change = ledger.updateTable('openLegs').where('orderId', '=', order);
    await change.set({ heldUntil: new Date(Date.now() + 1e9), heldFor: 'gas_budget' }).execute();
    expect(named(await problemsAfter(500))).toEqual([['gas_budget', 'chiado', 'profiles']]);
    await change.set({ heldFor: 'dust' }).execute();
    expect(await problemsAfter(500)).toEqual([]);
    await change.set({ heldUntil: null, heldFor: null, kind: 'redeem', signedBy: 'contract' }).execute();
    await ledger
      .insertInto('accountBackoffs')
      .values({ chain: 'chiado', account: customer.address, failures: 3, untilBlock: 99n })
      .execute();
    const seen = (head: number) =>
      recordHeartbeat(ledger, { component: 'worker', chain: 'chiado', instance: '', facts: { head: String(head) } });
    await seen(99);
    expect(await problemsAfter(0)).toEqual([]);
    await seen(99 + 63);
    expect(named(await problemsAfter(0))).toEqual([['legs_overdue', 'chiado', 'redeem']]);
  });

  it('a sent leg of an account that waits after failures, and a ready one whose wait has not begun', async () => {
    const { ledger, customer } = world;
    const change = ledger.updateTable('openLegs').where('orderId', '=', await credit());
    await send();
    await change.set({ kind: 'redeem', signedBy: 'contract', sequence: null }).execute();
    const backoff = { chain: 'chiado', account: customer.address, failures: 3, untilBlock: 99n } as const;
    await ledger.insertInto('accountBackoffs').values(backoff).execute();
    await recordHeartbeat(ledger, { component: 'worker', chain: 'chiado', instance: '', facts: { head: '90' } });
    expect(named(await problemsAfter(500))).toContainEqual(['legs_overdue', 'chiado', 'redeem']);
    await ledger.updateTable('transactions').set({ state: 'lost' }).execute();
    await change.set({ state: 'ready', transaction: null }).execute();
    expect(await problemsAfter(0)).toEqual([]);
    await ledger.updateTable('accountBackoffs').set({ untilBlock: null }).execute();
    expect(named(await problemsAfter(0))).toEqual([['legs_overdue', 'chiado', 'redeem']]);
  });

  it('no redemption of a contract account that waits for its first, and none sooner than its bound after that', async () => {
    const { ledger } = world;
    const first = await credit();
    await send();
    const change = ledger.updateTable('openLegs').where('orderId', 'in', [first, await credit()]);
    await change.set({ kind: 'redeem', signedBy: 'contract', sequence: null }).execute();
    await ledger.updateTable('transactions').set({ state: 'settled', hash: '0x1', blockNumber: 1n }).execute();
    const problems = await problemsAfter(500);
    expect(problems).toMatchObject([{ kind: 'legs_overdue', subject: 'redeem', text: expect.stringContaining(first) as string }]);
    expect(problems[0]?.text).toContain('1 redeem leg');
    const ofFirst = ledger.updateTable('legHistory').where('orderId', '=', first);
    await ledger.deleteFrom('openLegs').where('orderId', '=', first).execute();
    await ofFirst.set({ kind: 'redeem', signedBy: 'contract', outcome: 'done', txHash: '0x1', doneAt: new Date() }).execute();
    const overdue = async () => named(await problemsAfter(0)).filter(([kind]) => kind === 'legs_overdue');
    expect(await overdue()).toEqual([]);
    await ofFirst.set({ doneAt: new Date(Date.now() - 500_000) }).execute();
    expect(await overdue()).toEqual([['legs_overdue', 'chiado', 'redeem']]);
  });

  it('no payout for the time in which its order waited for the burn', async () => {
    const { order } = await world.burnt();
    await world.ledger
      .updateTable('openLegs')
      .set({ createdAt: new Date(0) })
      .where('orderId', '=', order)
      .execute();
    expect(await problemsAfter(0)).toEqual([]);
  });

  it('transactions that are in no block, by lane', async () => {
    await credit();
    await send();
    const problems = await problemsAfter(200);
    expect(named(problems)).toEqual([['transaction_unmined', 'chiado', signer]]);
    expect(problems[0]?.text).toContain('the lowest nonce is 4');
  });

  it('signatures that nobody checked, and those that should have expired', async () => {
    const draft = { profile: world.customer.profile, address: world.customer.address, chain: 'chiado' as const, user: world.customer.user };
    for (const [digest, signature] of [
      ['0x1', '0x1234'],
      ['0x2', '0x'],
    ] as const)
      await requestSignature(world.ledger, { kind: 'linkAddress', draft, digest, signature, correlationId: null });
    expect(named(await problemsAfter(200))).toEqual([['signatures_overdue', 'chiado', 'in request']]);
    const later = await problemsAfter(5 * 86_400 + 400);
    expect(new Set(later.map(({ subject }) => subject))).toEqual(new Set(['in request', 'on chain']));
    // What is contested never expires, and has a problem of its own.
    await world.ledger.updateTable('signatureRequests').set({ contestedSince: new Date() }).where('signature', '=', '0x').execute();
    expect(named(await problemsAfter(5 * 86_400 + 400))).toEqual([['signatures_overdue', 'chiado', 'in request']]);
  });

  it('payouts at every stage on their way to the bank', async () => {
    await world.burnt();
    expect(named(await problemsAfter(301))).toEqual([['payments_overdue', '', 'leg']]);
    await makePaymentsOfLegs(world.ledger, 10);
    expect(await problemsAfter(300)).toEqual([]);
    expect(named(await problemsAfter(100))).toEqual([['payments_overdue', '', 'payment']]);
    await world.sendAll();
    expect(await problemsAfter(86_400)).toEqual([]);
    expect(named(await problemsAfter(6 * 86_400))).toEqual([['payments_overdue', '', 'bank']]);
    await world.ledger.insertInto('paymentFiles').values({ name: 'a.xml', content: '' }).execute();
    await world.ledger.deleteFrom('payments').execute();
    expect((await problemsAfter(301)).at(-1)).toMatchObject({ subject: 'file', text: expect.stringContaining('a.xml') as string });
  });

  it('an order that is open although nothing of it is under way', async () => {
    const order = await credit();
    await world.ledger.updateTable('openLegs').set({ state: 'waiting' }).where('orderId', '=', order).execute();
    expect(named(await problemsAfter(0))).toEqual([['order_idle', 'chiado', order]]);
  });
});

describe('reading the status', () => {
  it('begins with what a theft needs, which is not the files of the bank', async () => {
    const { ledger } = world;
    await credit();
    await problemsAfter(400);
    await beginRecovery(ledger, 'chiado');
    const since = new Date().toISOString();
    const alarms = ['disk_low', 'nonce_gap', 'lane_parked', 'sequence_used_elsewhere'].map((kind) => ({
      kind,
      subject: token,
      text: '',
      since,
    }));
    await recordHeartbeat(ledger, { component: 'worker', chain: 'chiado', instance: '', facts: { ok: true, alarms } });
    const { problems, warnings } = await readStatus(ledger, settings);
    const kinds = ['sequence_used_elsewhere', 'recovery_open', 'worker_missing', 'lane_parked', 'nonce_gap'];
    expect([...new Set(problems.map(({ kind }) => kind))]).toEqual(kinds);
    expect(problems[1]?.text).toMatch(/restored a back-up, import the bank's files .* If not, .* stolen: revoke its role/);
    // What waits for the indexer that never ran is not named beside it.
    const indexer = problems.find(({ kind, subject }) => kind === 'worker_missing' && subject === 'indexer');
    expect(indexer?.text).toMatch(/\. From this follows legs_overdue$/);
    expect(warnings).toMatchObject([{ kind: 'disk_low' }]);
  });

  // The other tables test/ledger/growth/generated-history.db.test.ts looks at.
  it('reads none of the signatures and bank files of which nothing is open', async () => {
    const { profile, address } = world.customer;
    await sql`
      with filed as (insert into payment_files (name, content, written_at) select n::text, '', now() from generate_series(1, 10000) n)
      insert into signature_requests (kind, profile, chain, address, digest, signature, draft, state, decided_at)
      select 'linkAddress', ${profile}, 'chiado', ${address}, '', '0x', '{}', 'valid', now() from generate_series(1, 10000)`.execute(
      world.ledger,
    );
    await sql`analyze`.execute(world.ledger);
    const { pool, take } = createExplainingPool(world.url, 'custom');
    await readStatus(createLedger(pool, wakesNobody), settings);
    const plans = take();
    expect(plans.some(({ plan }) => plan.includes('payment_files')) && plans.some(({ plan }) => plan.includes('signature_requests'))).toBe(
      true,
    );
    for (const { rowsRead, plan } of plans)
      expect([rowsRead.get('payment_files') ?? 0, rowsRead.get('signature_requests') ?? 0], plan).toEqual([0, 0]);
    await pool.end();
  });
});
