import { beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { findPayout, rejectPayout } from '../../src/ledger/bank/payments.ts';
import { markFailed, recordReplacement, recordTransaction } from '../../src/ledger/lanes/transactions.ts';
import { acknowledgeBreach } from '../../src/ledger/reserve/acknowledge-breach.ts';
import { recordBreach } from '../../src/ledger/reserve/breaches.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createPaymentsLedger, payeeIban, randomHash } from '../ledger/bank/payments-ledger.ts';
import { claimReady } from '../support/claim-ready.ts';
import { hostile, makeStuck } from './support/orders-of-all-kinds.ts';
import { createTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const payments = forWholeFile(createPaymentsLedger);
const console = forWholeFile(() => createTestConsole({ env: { FOUR_EYES: 'yes' }, url: payments.url }));
const viewer = forWholeFile(() => console.signedIn('viewer'));
let paid: { order: string; burn: string; id: string };
let stuck: string;
let credit: { order: string; reference: string };

beforeAll(async () => {
  paid = await payments.sentPayout();
  await payments.decide(paid.id, null);
  stuck = await makeStuck(payments);
  credit = await payments.credited();
});

/** An attempt of a transaction. */
const attempt = (maxFeePerGas: bigint) => ({ hash: randomHash(), raw: '0x', maxFeePerGas, maxPriorityFeePerGas: 1n });

/** What a treasurer asks for. */
const input = () => ({ order: stuck, reason: 'The block on the account was lifted' });

const found = async (query: string) => ids(await viewer.get(`/api/orders?${query}`));

const ids = (answer: { json: { orders: { id: string }[] } }) => answer.json.orders.map(({ id }) => id);

describe('the list', () => {
  it('has the latest orders first, with amounts as decimals, and goes on behind a cursor', async () => {
    const first = await viewer.get('/api/orders?limit=2');
    expect(first).toMatchObject({ status: 200, json: { next: stuck } });
    expect(ids(first)).toEqual([credit.order, stuck]);
    expect(first.json.orders[1]).toMatchObject({
      amount: '777.00',
      currency: 'eur',
      memo: hostile,
      counterpartName: hostile,
      state: 'pending',
    });
    const second = await viewer.get(`/api/orders?limit=2&after=${stuck}`);
    expect(ids(second)).toEqual([paid.order]);
    expect(second.json.next).toBeUndefined();
  });

  it('is narrowed by state, kind, chain, currency, profile and time', async () => {
    const all = [credit.order, stuck, paid.order];
    expect(await found('state=open')).toEqual([credit.order, stuck]);
    expect(await found('state=processed')).toEqual([paid.order]);
    expect(await found('kind=issue')).toEqual([credit.order]);
    expect(await found('chain=gnosis')).toEqual([]);
    expect(await found(`currency=eur&profile=${payments.customer.profile}`)).toEqual(all);
    expect(await found('until=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await found('from=2020-01-01T00:00:00%2B01:00')).toEqual(all);
  });

  it('says what a text was taken for, and what else it can be', async () => {
    const byAmount = await viewer.get('/api/orders?q=777,00 EUR');
    expect(byAmount.json).toMatchObject({ search: { meaning: 'amount', amount: '777.00', currency: 'eur', others: [] } });
    expect(ids(byAmount)).toEqual([stuck]);
    expect((await viewer.get(`/api/orders?q=${paid.burn}`)).json).toMatchObject({
      search: { meaning: 'transaction' },
      orders: [{ id: paid.order }],
    });
    const byName = await viewer.get('/api/orders?q=anna karl&state=processed');
    expect(byName.json).toMatchObject({ search: { meaning: 'name', profiles: 1 }, orders: [{ id: paid.order }] });
    expect((await viewer.get(`/api/orders?q=${encodeURIComponent(hostile)}`)).json).toMatchObject({ search: { meaning: 'memo' } });
    const nothing = await viewer.get('/api/orders?q=no such thing');
    expect(nothing.json).toEqual({ orders: [], credits: [], search: { isCut: false, others: [] } });
  });

  it.each(['state=gone', 'chain=moon', 'limit=100000', 'after=x', 'from=yesterday', 'kind=swap'])('refuses %s', async (query) => {
    expect(await viewer.get(`/api/orders?${query}`)).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  });
});

describe('an order', () => {
  it('is shown with the whole way of its money', async () => {
    const { status, json } = await viewer.get(`/api/orders/${paid.order}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      order: { id: paid.order, amount: '12.50', memo: 'Rent for May', profileName: 'Anna Karlsson', state: 'processed' },
      legs: [{ kind: 'redeem', state: 'done', amount: '12.50' }, { kind: 'payout' }],
      payments: [{ id: paid.id, creditorIban: payeeIban, state: 'accepted' }],
      waits: [],
      problems: [],
      isStuck: false,
    });
    expect(json.payments[0].leg).toBe(json.legs[1].id);
    expect(json.entries.length).toBeGreaterThan(0);
    expect(json.entries[0].postings[0].amount).toMatch(/^-?\d+\.\d\d$/);
    expect(json.history.map(({ type }: { type: string }) => type)).toContain('payment.accepted');
  });

  it('that is open says what it waits for', async () => {
    const { json } = await viewer.get(`/api/orders/${credit.order}`);
    expect(json).toMatchObject({ waits: [{ kind: 'issue', chain: 'chiado', failures: 0, awaited: 'a lane of chiado' }], isStuck: false });
    expect(json.credits).toMatchObject([{ reference: credit.reference, amount: '3.00' }]);
    expect((await viewer.get(`/api/orders/${stuck}`)).json).toMatchObject({
      isStuck: true,
      order: { counterpart: { details: { name: hostile } } },
    });
  });

  it('has the fees of each attempt, and the transactions that did not carry it out', async () => {
    const { order } = await payments.credited();
    const lane = { chain: 'chiado' as const, signer: lowerAddress(`0x${'5'.repeat(40)}`) };
    const legs = await claimReady(payments.ledger, { ...lane, tokens: { eur: lowerAddress(`0x${'e'.repeat(40)}`) } });
    const facts = { kind: 'issue' as const, currency: 'eur' as const, gasLimit: 1n, sentAtBlock: 1n, nonce: 0n };
    const lost = await recordTransaction(payments.ledger, { ...lane, ...facts, attempt: attempt(5n), legs: legs.map(({ id }) => id) });
    await recordReplacement(payments.ledger, lost, attempt(9n), 2n);
    await markFailed(payments.ledger, lost, { state: 'lost' });
    const { json } = await viewer.get(`/api/orders/${order}`);
    expect(json.legs[0].transactions).toMatchObject([
      { nonce: '0', state: 'lost', failure: 'lost', attempts: [{ maxFeePerGas: '5' }, { maxFeePerGas: '9', maxPriorityFeePerGas: '1' }] },
    ]);
  });

  it('that a breach of the reserve stops names it, and what an operator does about it', async () => {
    const [issue, payout] = [await payments.credited(), await payments.burnt()];
    const breach = (comparison: 'index' | 'bank', account: string) =>
      recordBreach(payments.ledger, { comparison, account, currency: 'eur', chain: '' }, minorUnits(5n));
    const acknowledge = (comparison: 'index' | 'bank') => {
      const items = [{ text: 'known', amount: minorUnits(5n) }];
      return acknowledgeBreach(payments.ledger, { comparison, currency: 'eur', reason: 'known', operator: 'otto', items });
    };
    await breach('index', 'liabilities:tokens:gnosis');
    const { awaited, kinds } = await stoppedBy(issue.order);
    expect(awaited).toContain('the book and the indexed supply differ by 0.05 eur on liabilities:tokens:gnosis');
    expect(awaited).toContain('no eur is issued before each breach is explained and acknowledged, as `mintrail reconcile` says');
    expect(kinds, 'with the whole remedy').toEqual(['breach_index']);
    expect(await stoppedBy(payout.order), 'payments stop for the bank alone').toEqual({ awaited: 'its payment', kinds: [] });

    await breach('bank', 'assets:bank:IS14');
    expect(await stoppedBy(payout.order)).toEqual({ awaited: expect.stringContaining('no eur is paid before'), kinds: ['breach_bank'] });
    await acknowledge('index');
    await acknowledge('bank');
    expect(await stoppedBy(issue.order)).toEqual({ awaited: 'a lane of chiado', kinds: [] });
  });

  it('that there is not is an error', async () => {
    expect(await viewer.get(`/api/orders/${crypto.randomUUID()}`)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(await viewer.get('/api/orders/1')).toMatchObject({ status: 400 });
    expect(await console.send('GET', '/api/orders')).toMatchObject({ status: 401 });
  });
});

/** What an order waits for, and the breaches that stop it. */
async function stoppedBy(order: string) {
  const { waits, problems } = (await viewer.get(`/api/orders/${order}`)).json;
  const kinds = problems.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind.startsWith('breach_'));
  return { awaited: waits[0].awaited as string, kinds };
}

describe('giving tokens back', () => {
  it('is described with amount, address and chain, approved by a second person, and audited with both names', async () => {
    const [treasurer, second] = [await console.signedIn('treasurer'), await console.signedIn('administrator')];
    const preview = await treasurer.post('/api/actions/orders.give-back/preview', input());
    expect(preview.json).toMatchObject({ needsSecondPerson: true });
    for (const fact of ['777.00 EUR', payments.customer.address, 'chiado', stuck, 'the account is blocked', input().reason])
      expect(preview.json.description).toContain(fact);
    const { json: asked } = await treasurer.act('orders.give-back', input());
    expect(asked).toMatchObject({ state: 'waiting' });
    expect((await viewer.get(`/api/orders/${stuck}`)).json.isStuck).toBe(true);
    const { digest } = (await second.get(`/api/approvals/${asked.approval}`)).json;
    expect(await second.post(`/api/approvals/${asked.approval}/approve`, { digest })).toMatchObject({ status: 200 });
    expect((await viewer.get(`/api/orders/${stuck}`)).json).toMatchObject({ isStuck: false, waits: [{ kind: 'issue' }] });
    const [entry] = await listAudit(payments.ledger, { subject: stuck, limit: 1 });
    expect(entry).toMatchObject({ action: 'order.give-back', actor: treasurer.name, detail: { reason: input().reason } });
  });
});

describe('rejecting a payout', () => {
  it('that was handed to the bank before the second person approved gives no tokens back', async () => {
    const [treasurer, second] = await Promise.all([console.signedIn('treasurer'), console.signedIn('treasurer')]);
    const { order } = await payments.burnt();
    await makePaymentsOfLegs(payments.ledger, 100);
    const { id } = (await findPayout(payments.ledger, order)) ?? {};
    const rejection = { payment: id, state: 'ready', reason: 'wrong account' };
    const { json } = await treasurer.act('bank.reject-payment', rejection);
    const { digest, description } = (await second.get(`/api/approvals/${json.approval}`)).json;
    expect(description).not.toContain('handed to the bank');
    await payments.sendAll();
    const approved = await second.post(`/api/approvals/${json.approval}/approve`, { digest });
    expect(approved).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('has been handed to the bank meanwhile') as string },
    });
    await expect(rejectPayout(payments.ledger, order, 'wrong account', ['ready'])).rejects.toMatchObject({
      code: 'not_as_shown',
      message: expect.stringContaining('has been handed to the bank meanwhile') as string,
    });
    expect(await payments.legs(order)).toBe('redeem done, payout sent');
    expect((await treasurer.act('bank.reject-payment/preview', { ...rejection, state: 'sent' })).json.description).toContain(
      'It was handed to the bank',
    );
  });
});
