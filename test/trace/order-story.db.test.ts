import { beforeAll, describe, expect, it } from 'vitest';
import { endToEndIdOf } from '../../src/ledger/end-to-end-id.ts';
import { findOrders } from '../../src/trace/find-orders.ts';
import { readOrderStory } from '../../src/trace/order-story.ts';
import { type PaymentsLedger, testPayments } from '../ledger/bank/payments-ledger.ts';

const payments = testPayments({ isShared: true });
let payout: Awaited<ReturnType<PaymentsLedger['sentPayout']>>;
let credit: Awaited<ReturnType<PaymentsLedger['refusedCredit']>>;
beforeAll(async () => {
  payout = await payments.sentPayout();
  await payments.decide(payout.id, null);
  credit = await payments.refusedCredit();
});

const find = async (text: string) => (await findOrders(payments.ledger, text)).orders;
const legOf = async (order: string) =>
  (await payments.ledger.selectFrom('legs').where('orderId', '=', order).select('id').executeTakeFirstOrThrow()).id;

describe('an order is found', () => {
  it('by its own id, in capitals too, and by the ids of its legs and payments', async () => {
    expect(await find(payout.order.toUpperCase())).toEqual([payout.order]);
    expect(await find(await legOf(payout.order))).toEqual([payout.order]);
    expect(await find(payout.id)).toEqual([payout.order]);
  });

  it("by its payment's EndToEndId and by the bank's reference of its credit", async () => {
    expect(await find(endToEndIdOf(payout.id))).toEqual([payout.order]);
    expect(await find(credit.reference)).toEqual([credit.order]);
  });

  it('by the hash of its transaction', async () => {
    expect(await find(payout.burn)).toEqual([payout.order]);
  });

  it.each(['nothing', '0x00', 'x'.repeat(2_000), '00000000-0000-7000-8000-000000000000', `0x${'0'.repeat(64)}`])(
    'not by %s',
    async (text) => {
      expect(await find(text)).toEqual([]);
    },
  );
});

describe('the trace', () => {
  it('of a redemption goes from its burn to its payment', async () => {
    const trace = await readOrderStory(payments.ledger, payout.order);
    expect(trace?.order).toMatchObject({ kind: 'redeem', state: 'processed', dependentOrders: [] });
    expect(trace?.legs.map(({ kind, state }) => [kind, state])).toEqual([
      ['redeem', 'done'],
      ['payout', 'done'],
    ]);
    expect(trace?.payments).toMatchObject([{ id: payout.id, state: 'accepted', endToEndId: endToEndIdOf(payout.id) }]);
  });

  it('of a credit goes from the bank to what became of it', async () => {
    const trace = await readOrderStory(payments.ledger, credit.order);
    expect(trace?.credits).toMatchObject([{ reference: credit.reference, source: 'test' }]);
    expect(trace?.legs.map(({ kind, state }) => [kind, state])).toEqual([
      ['issue', 'refused'],
      ['return', 'ready'],
    ]);
  });

  it('is undefined for what is no order', async () => {
    expect(await readOrderStory(payments.ledger, '00000000-0000-7000-8000-000000000000')).toBeUndefined();
  });
});
