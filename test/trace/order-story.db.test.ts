import { beforeAll, describe, expect, it } from 'vitest';
import { endToEndIdOf } from '../../src/ledger/end-to-end-id.ts';
import { findOrders } from '../../src/trace/find-orders.ts';
import { type OrderStory, readOrderStory } from '../../src/trace/order-story.ts';
import { storyJson } from '../../src/trace/story-json.ts';
import { storySteps } from '../../src/trace/story-steps.ts';
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

  it("by its payment's EndToEndId, and by the hash of its transaction", async () => {
    expect(await find(endToEndIdOf(payout.id))).toEqual([payout.order]);
    expect(await find(payout.burn)).toEqual([payout.order]);
  });

  it.each(['00000000-0000-7000-8000-000000000000', `0x${'0'.repeat(64)}`])('not by %s', async (text) => {
    expect(await find(text)).toEqual([]);
  });
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

  it('is told in the order of its history, with what the bank reported, what was booked, and its end last', async () => {
    const story = await readOrderStory(payments.ledger, payout.order);
    const steps = storySteps(story as OrderStory);
    const times = steps.flatMap(([at]) => (at === null ? [] : [at.getTime()]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const told = steps.map(([, record, text]) => `${record}: ${text}`);
    expect(told[0]).toMatch(/^order: redeem of .* EUR is placed$/);
    expect(told).toContainEqual(expect.stringMatching(/^payment: sent/));
    expect(told).toContain('payment: accepted');
    expect(told).toContainEqual(expect.stringMatching(/^book: /));
    expect(told.at(-1)).toBe('order: is processed');
    // Each event of the history is told once.
    const ofHistory = steps.filter(([, , text]) => !/is due|^debit |, booked on |^carried out/.test(text));
    expect(ofHistory).toHaveLength(story?.events.length ?? -1);
  });

  it('as JSON has amounts as the API writes them, no other bigint, and no bytes', async () => {
    const shown = await Promise.all([payout.order, credit.order].map((order) => readOrderStory(payments.ledger, order)));
    // Nothing writes a bigint for JSON.stringify here: it throws where one is left.
    const stories = JSON.parse(JSON.stringify(shown.map((story) => storyJson(story as OrderStory)))) as ReturnType<typeof storyJson>[];
    expect(JSON.stringify(stories)).not.toMatch(/requestHash|Buffer/);
    const amounts = stories.flatMap(({ order, credits, legs, entries }) =>
      [order, ...credits, ...legs, ...entries.flatMap(({ postings }) => postings)].map(({ amount }) => amount),
    );
    expect(amounts.length).toBeGreaterThan(6);
    expect(amounts.filter((amount) => !/^-?\d+\.\d\d$/.test(String(amount)))).toEqual([]);
  });

  it('is undefined for what is no order', async () => {
    expect(await readOrderStory(payments.ledger, '00000000-0000-7000-8000-000000000000')).toBeUndefined();
  });
});
