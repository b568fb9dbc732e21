import { describe, expect, it } from 'vitest';
import { endToEndIdOf } from '../../../src/ledger/end-to-end-id.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { rejectPayout, settleBookedDebits } from '../../../src/ledger/bank/payments.ts';
import { randomHash, testPayments } from './payments-ledger.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { minorUnits } from '../../../src/platform/money.ts';

const at = testPayments();

const book = (endToEndId: string, amount = 1250n, currency = 'eur') =>
  inTransaction(at.ledger, (tx) =>
    settleBookedDebits(tx, [{ endToEndId, amount: minorUnits(amount), currency, account: 'sandbox', bookedOn: '2026-05-04' }]),
  );

describe('the end of a payout', () => {
  it('that was carried out processes the order, once', async () => {
    const { order, burn, id } = await at.sentPayout();
    const decided = await Promise.all([at.decide(id, null), at.decide(id, null), at.decide(id, 'too late')]);
    expect(decided.flatMap(({ ids }) => ids)).toEqual([id]);
    const [first] = await at.payments();
    if (first?.state === 'accepted') {
      expect(await at.order(order)).toMatchObject({ state: 'processed', txHashes: [burn] });
      expect(await at.legs(order)).toBe('redeem done, payout done');
    } else expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    const events = await at.ledger
      .selectFrom('events')
      .where('subject', '=', order)
      .where('type', '=', 'order.updated')
      .selectAll()
      .execute();
    expect(events.length).toBe(first?.state === 'accepted' ? 1 : 0);
  });

  it('that was refused gives the tokens back, and then ends rejected with both hashes', async () => {
    const { order, burn, id } = await at.sentPayout();
    at.woken.length = 0;
    expect(await at.decide(id, 'AC04 closed account number')).toEqual({ ids: [id], orders: [] });
    expect(at.woken).toEqual(['lane-chiado']);
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    expect((await at.order(order)).state).toBe('pending');
    expect(await at.decide(id, 'again')).toEqual({ ids: [], orders: [] });
    expect(at.woken).toEqual(['lane-chiado']);
    const mint = randomHash();
    expect(await at.settle(order, 'issue', mint)).toEqual([{ orderId: order, state: 'rejected' }]);
    expect(await at.order(order)).toMatchObject({
      state: 'rejected',
      rejectedReason: 'AC04 closed account number',
      txHashes: [burn, mint],
    });
  });

  it('cannot come before it was sent, unless that is allowed', async () => {
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    const [payment] = await at.payments();
    expect((await at.decide(payment?.id ?? '', null)).ids).toEqual([]);
    expect((await at.decide(payment?.id ?? '', null, ['ready'])).ids).toEqual([payment?.id]);
  });
});

describe('rejecting a payout by hand', () => {
  it.each(['order', 'payment'])('is done by the id of the %s, once', async (by) => {
    const { order, id } = await at.sentPayout();
    const reject = () => rejectPayout(at.ledger, by === 'order' ? order : id, 'told to');
    at.woken.length = 0;
    const results = await Promise.allSettled([reject(), reject()]);
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(done).toEqual([{ paymentId: id, orderId: order }]);
    expect(at.woken).toEqual(['lane-chiado']);
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    await expect(reject()).rejects.toMatchObject({ code: 'payout_decided' });
  });

  it('is possible before it is sent', async () => {
    const { order } = await at.burnt();
    await makePaymentsOfLegs(at.ledger, 100);
    await rejectPayout(at.ledger, order, 'told to');
    expect(await at.sendAll()).toBeUndefined();
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
  });

  it('is not possible after it was carried out', async () => {
    const { order, id } = await at.sentPayout();
    await at.decide(id, null);
    await expect(rejectPayout(at.ledger, order, 'told to')).rejects.toMatchObject({ code: 'payout_decided' });
    expect((await at.order(order)).state).toBe('processed');
  });

  it.each(['nobody', '00000000-0000-4000-8000-000000000000'])('says that it does not know %s', async (id) => {
    await expect(rejectPayout(at.ledger, id, 'told to')).rejects.toMatchObject({ code: 'unknown_payout' });
  });
});

describe('a booked debit', () => {
  it('settles the payout it names, once', async () => {
    const { order, id } = await at.sentPayout();
    expect(await book(endToEndIdOf(id))).toMatchObject([{ id, outcome: 'settled' }]);
    expect((await at.order(order)).state).toBe('processed');
    expect(await book(endToEndIdOf(id).toUpperCase())).toMatchObject([{ id, outcome: 'known' }]);
  });

  it.each([
    ['amount', 1251n, 'eur'],
    ['currency', 1250n, 'gbp'],
  ])('of another %s settles nothing', async (_, amount, currency) => {
    const { order, id } = await at.sentPayout();
    expect(await book(endToEndIdOf(id), amount, currency)).toMatchObject([
      { id, outcome: 'conflict', problem: expect.stringContaining('12.50 EUR') },
    ]);
    expect(await at.legs(order)).toBe('redeem done, payout sent');
  });

  it('of a refused payment changes nothing and is told', async () => {
    const { order, id } = await at.sentPayout();
    await at.decide(id, 'AC04');
    expect(await book(endToEndIdOf(id))).toMatchObject([{ outcome: 'conflict', problem: expect.stringContaining('WAS REFUSED') }]);
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
  });

  it('of nobody’s payment is no matter of ours', async () => {
    expect(await book('INVOICE 7')).toEqual([]);
    expect(await book('0'.repeat(32))).toEqual([]);
  });
});
