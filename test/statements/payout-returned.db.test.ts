import { describe, expect, it } from 'vitest';
import { matchToPayment, planPaymentMatch } from '../../src/ledger/bank/returns/payment-match.ts';
import { matchToPayments } from '../../src/statements/match-payments.ts';
import { undoAwaitedDebit } from '../../src/ledger/bank/returns/not-booked-debits.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { isOwnPayment } from '../../src/ledger/bank/returns/own-payments.ts';
import { findWaitingCredit } from '../../src/ledger/bank/unmatched/unmatched-credits.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { settleCredit } from '../../src/ledger/bank/unmatched/settle-credit.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import { readOrderHistory } from '../../src/ledger/orders/order-history.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payeeIban, payerIban, randomHash, testPayments } from '../ledger/bank/payments-ledger.ts';
import { creditOptions } from './bank-rail.ts';
import { bookings } from './bookings.ts';
import { sendPayouts, type SentPayout } from './payouts-sent.ts';

const at = testPayments();

const { book, bookAll, explain, creditOf } = bookings(at);

const debitOf = ({ endToEndId }: { endToEndId: string }, amount = '12.50'): EntrySpec => ({
  amount,
  direction: 'DBIT',
  reference: `D-${endToEndId.slice(-6)}`,
  code: ['ICDT', 'ESCT'],
  transactions: [{ amount, refs: { EndToEndId: endToEndId } }],
});

const returnOf = ({ endToEndId }: { endToEndId: string }, more: Partial<EntrySpec> = {}): EntrySpec => ({
  amount: '12.50',
  reference: 'R1',
  code: ['ICDT', 'RRTN'],
  transactions: [{ amount: more.amount ?? '12.50', refs: { EndToEndId: endToEndId }, returnReason: 'AC04' }],
  ...more,
});

async function bookedPayout(): Promise<SentPayout> {
  const { payouts } = await sendPayouts(at, 1);
  const [payout] = payouts as [SentPayout];
  await book([debitOf(payout)]);
  return payout;
}

const credit = (reference = 'R1') => creditOf(reference);
const paymentOf = async ({ id }: { id: string }) => (await at.payments()).find((payment) => payment.id === id);
const givingBack = ({ order }: { order: string }) => at.ledger.selectFrom('orders').where('givesBack', '=', order).selectAll().execute();
const waitingMoney = async () =>
  (await readBalances(at.ledger)).filter(({ amount }) => amount !== 0n).map(({ account, amount }) => `${account} ${amount}`);

describe('a payout that the bank returns after it booked it', () => {
  it('gives its tokens back by a linked order, once', async () => {
    const payout = await bookedPayout();
    const report = await book([returnOf(payout)]);
    expect(report).toMatchObject({ counts: { issued: 1, unmatched: 0 }, alerts: [] });
    const original = await at.order(payout.order);
    expect(original.state).toBe('processed');
    const [order, ...others] = await givingBack(payout);
    expect(others).toEqual([]);
    expect(order).toMatchObject({
      kind: 'issue',
      state: 'placed',
      profile: original.profile,
      address: original.address,
      chain: original.chain,
      amount: 1250n,
      memo: 'Payment returned: AC04 closed account number',
      counterpart: original.counterpart,
    });
    expect(await at.legs(order?.id as string)).toBe('issue ready');
    expect(at.woken).toContain('lane-chiado');
    expect(await paymentOf(payout)).toMatchObject({
      state: 'returned',
      cameBackBy: `${masterIban}:R1`,
      reason: 'AC04 closed account number',
    });
    expect(await credit()).toMatchObject({ state: 'matched', orderId: order?.id });
    const again = await book([returnOf(payout)], { message: 'camt.054' });
    expect(again).toMatchObject({ counts: { issued: 0, known: 1, unmatched: 0 } });
    const other = await book([returnOf(payout, { reference: 'R2' })]);
    expect(other).toMatchObject({ counts: { issued: 0, unmatched: 1 } });
    expect((await credit('R2')).reason).toContain(`its payment ${payout.id} came back already, by ${masterIban}:R1`);
    expect(await givingBack(payout)).toHaveLength(1);
  });

  it.each(['by their own numbers', 'under the number of the file', 'in an entry'])(
    'after a statement on demand listed the payments of its file, which another had as a sum, %s, gives its tokens back',
    async (how) => {
      const { payouts, messageId } = await sendPayouts(at, 2);
      const [payout] = payouts as [SentPayout];
      const ofDay = { day: '2026-11-20', opening: '100', closing: '75' };
      const sum: EntrySpec = { amount: '25', direction: 'DBIT', reference: 'F', batch: '2' };
      const listed: Record<string, EntrySpec[]> = {
        'by their own numbers': payouts.map((each) => debitOf(each)),
        'under the number of the file': payouts.map((each) => ({ ...debitOf(each), reference: 'F' })),
        'in an entry': [{ ...sum, reference: 'G', transactions: payouts.flatMap((each) => debitOf(each).transactions ?? []) }],
      };
      await book([{ ...sum, batchOf: messageId }], ofDay);
      await book(listed[how] ?? [], ofDay);
      await book([returnOf(payout, { bookedOn: '2026-11-23' })], { day: '2026-11-23', opening: '75', closing: '87.50' });
      expect(await givingBack(payout)).toHaveLength(1);
      expect(await at.ledger.selectFrom('bankDebits').where('state', '=', 'unexplained').selectAll().execute()).toEqual([]);
    },
  );

  it('after it booked it twice corrects the second debit, and the payee keeps the money', async () => {
    const payout = await bookedPayout();
    await book([{ ...debitOf(payout), reference: 'D-AGAIN' }]);
    await book([returnOf(payout, { transactions: [{ amount: '12.50', refs: { EndToEndId: payout.endToEndId }, returnReason: 'AM05' }] })]);
    expect(await givingBack(payout)).toEqual([]);
    expect(await credit()).toMatchObject({ state: 'settled', settledAs: 'difference' });
    expect(await paymentOf(payout)).toMatchObject({ state: 'accepted' });
    const debits = await at.ledger.selectFrom('bankDebits').orderBy('state').select(['state', 'undoneBy']).execute();
    expect(debits).toEqual([
      { state: 'explained', undoneBy: `${masterIban}:R1` },
      { state: 'payment', undoneBy: null },
    ]);
    // A further return is one.
    await book([returnOf(payout, { reference: 'R2' })]);
    expect(await givingBack(payout)).toHaveLength(1);
  });

  it.each([
    ['in one statement', 500],
    ['in a file of several statements', 1],
  ])('after it booked it twice corrects that also where all of it stands %s', async (_, most) => {
    const { payouts } = await sendPayouts(at, 1);
    const [payout] = payouts as [SentPayout];
    const fees = Array.from({ length: 501 }, (__, index) => ({ amount: '1.00', direction: 'DBIT', reference: `FEE${index}` }));
    const entries = [returnOf(payout), debitOf(payout), { ...debitOf(payout), reference: 'D-AGAIN' }];
    await (most === 500 ? book(entries) : bookAll([[returnOf(payout), ...fees], entries.slice(1)]));
    expect(await givingBack(payout)).toEqual([]);
    expect(await credit()).toMatchObject({ state: 'settled', settledAs: 'difference' });
  });

  it('before the second debit is reported is named by that, and an operator takes it back', async () => {
    const payout = await bookedPayout();
    await book([returnOf(payout)], { message: 'camt.054' });
    const report = await book([{ ...debitOf(payout), reference: 'D-AGAIN' }, returnOf(payout)]);
    expect(report.alerts[0]?.reason).toContain(`came back by ${masterIban}:R1: if that undid this second booking`);
    expect(await givingBack(payout)).toMatchObject([{ state: 'placed' }]);
    await explain('D-AGAIN', { as: 'reversal-of', credits: [`${masterIban}:R1`] });
    expect(await givingBack(payout)).toMatchObject([{ state: 'rejected' }]);
    expect(await paymentOf(payout)).toMatchObject({ state: 'accepted' });
  });

  it('while only a notification reports one of two debits, which may be one, waits for an operator', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const [payout] = payouts as [SentPayout];
    await book([{ ...debitOf(payout), bookedOn: '2026-11-12' }], { message: 'camt.054' });
    await book([{ ...debitOf(payout), reference: 'D-STATED' }]);
    await book([returnOf(payout)]);
    const { state, reason, reference } = await credit();
    expect([state, reason]).toEqual([
      'unmatched',
      expect.stringContaining(`booked twice, again by the debit ${masterIban}:D-STATED: ask the bank`),
    ]);
    await expect(planPaymentMatch(at.ledger, reference)).rejects.toThrow(`--payment ${payout.id}`);
    await matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference, payout.id));
    expect(await givingBack(payout)).toHaveLength(1);
    await explain('D-STATED', { as: 'repeat-of', debits: [`${masterIban}:${debitOf(payout).reference}`] });
    expect(await waitingMoney()).toEqual(expect.not.arrayContaining([expect.stringContaining('differences')]));
  });

  it('after it booked its file twice, or an operator has explained the second debit, waits for the operator', async () => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    const [payout, other] = payouts as [SentPayout, SentPayout];
    const sum = { amount: '25.00', direction: 'DBIT', batch: '2', batchOf: messageId };
    await book([{ ...sum, reference: 'SUM1' }]);
    await book([{ ...debitOf(payout), reference: 'D-AGAIN' }]);
    await explain('D-AGAIN', { as: 'own' });
    await book([returnOf(payout)]);
    expect((await credit()).reason).toContain('the credit is to be settled as own; else');
    const report = await book([{ ...sum, reference: 'SUM2', bookedOn: '2026-12-02' }]);
    expect(report.alerts[0]?.reason).toContain('the bank has booked the payments of this file before');
    await book([returnOf(other, { reference: 'R2' })]);
    expect((await credit('R2')).reason).toContain('the credit is to be settled as own, and the debit explained as own; else');
    expect(await Promise.all([givingBack(payout), givingBack(other)])).toEqual([[], []]);
    for (const reference of ['R1', 'R2'])
      await settleCredit(at.ledger, { reference: `${masterIban}:${reference}`, as: 'own', reason: 'booked twice', operator: 'jane' });
  });

  it('after it booked it with its file and once more corrects the second debit', async () => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    const [payout] = payouts as [SentPayout];
    await book([{ amount: '25.00', direction: 'DBIT', reference: 'SUM', batch: '2', batchOf: messageId }]);
    await book([{ ...debitOf(payout), reference: 'D-AGAIN' }, returnOf(payout)]);
    expect(await givingBack(payout)).toEqual([]);
    expect(await credit()).toMatchObject({ state: 'settled', settledAs: 'difference' });
  });

  it('after an operator said that a sum was it and another, of which each is notified, goes to its holder', async () => {
    const { payouts } = await sendPayouts(at, 2);
    await book([{ amount: '25.00', direction: 'DBIT', reference: 'SUM', batch: '2' }]);
    await explain('SUM', { as: 'payment', payments: payouts.map(({ id }) => id), isWithFee: false });
    expect(
      await book(
        payouts.map((payout) => debitOf(payout)),
        { message: 'camt.054' },
      ),
    ).toMatchObject({ unexplained: 0 });
    const [payout] = payouts as [SentPayout];
    await book([returnOf(payout)]);
    expect(await givingBack(payout)).toHaveLength(1);
  });

  it('shows that in the histories of both orders, and in their events', async () => {
    const payout = await bookedPayout();
    await book([returnOf(payout)]);
    const [order] = await givingBack(payout);
    const history = await readOrderHistory(at.ledger, payout.order);
    expect(history.map(({ type }) => type).slice(-3)).toEqual(
      expect.arrayContaining(['payment.accepted', 'payment.returned', 'order.processed']),
    );
    expect(history.find(({ type }) => type === 'payment.returned')).toMatchObject({
      leg: 'payout',
      endToEndId: payout.endToEndId,
      reason: 'AC04 closed account number',
      order: order?.id,
    });
    expect((await readOrderHistory(at.ledger, order?.id as string))[0]).toMatchObject({ type: 'order.placed', order: payout.order });
    const events = await at.ledger
      .selectFrom('events')
      .where('subject', '=', order?.id as string)
      .select(['type', 'data'])
      .execute();
    expect(events).toMatchObject([{ type: 'order.created', data: { givesBack: payout.order } }]);
  });

  it.each([
    ['before its debit is reported', async (payout: SentPayout) => book([returnOf(payout), debitOf(payout)])],
    ['reported by a notification first', async (payout: SentPayout) => book([returnOf(payout)], { message: 'camt.054' })],
    [
      'by the bank, which undoes its debit',
      async (payout: SentPayout) => book([returnOf(payout, { reversal: true, code: ['ICDT', 'ESCT'] })]),
    ],
    ['with its EndToEndId in capitals', async ({ endToEndId }: SentPayout) => book([returnOf({ endToEndId: endToEndId.toUpperCase() })])],
    [
      'with its EndToEndId in the text alone',
      async ({ endToEndId }: SentPayout) =>
        book([
          returnOf(
            { endToEndId: 'NOTPROVIDED' },
            { transactions: [{ amount: '12.50', returnReason: 'AC01', ustrd: [`RUECKGABE EREF+${endToEndId} AC01`] }] },
          ),
        ]),
    ],
  ])('gives its tokens back once: %s', async (_, report) => {
    const { payouts } = await sendPayouts(at, 1);
    const [payout] = payouts as [SentPayout];
    await report(payout);
    await book([debitOf(payout)]);
    expect((await at.order(payout.order)).state).toBe('processed');
    expect(await paymentOf(payout)).toMatchObject({ state: 'returned', bankAccount: masterIban, bookedOn: '2026-11-20' });
    expect(await givingBack(payout)).toHaveLength(1);
    expect(await waitingMoney()).toEqual(expect.arrayContaining(['liabilities:issue -1250']));
    expect((await waitingMoney()).filter((line) => /payments|suspense|differences/.test(line))).toEqual([]);
  });

  it('is returned in a batch with others, each by its own order', async () => {
    const { payouts } = await sendPayouts(at, 3);
    await book(payouts.map((payout) => debitOf(payout)));
    const transactions = payouts.map(({ endToEndId }) => ({ amount: '12.50', refs: { EndToEndId: endToEndId }, returnReason: 'MD07' }));
    expect(await book([{ amount: '37.50', reference: 'B', code: ['ICDT', 'RRTN'], transactions }])).toMatchObject({
      counts: { issued: 3 },
    });
    for (const payout of payouts) expect(await givingBack(payout)).toHaveLength(1);
  });

  it('is not given back a second time by a pain.002 that rejects it', async () => {
    const payout = await bookedPayout();
    await book([returnOf(payout)]);
    expect((await at.decide(payout.id, 'AC04', ['ready', 'sent'])).ids).toEqual([]);
    expect(await at.legs(payout.order)).toBe('redeem done, payout done');
    expect(await givingBack(payout)).toHaveLength(1);
  });

  it('and that was refused and given back before is held, and settled against its debit', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const [payout] = payouts as [SentPayout];
    await at.decide(payout.id, 'AC04');
    const report = await book([returnOf(payout)]);
    expect(report).toMatchObject({ counts: { issued: 0, unmatched: 1 } });
    const { reason, reference } = await credit();
    expect(reason).toContain(`its payment ${payout.id} was refused: the tokens were given back then`);
    expect(await givingBack(payout)).toEqual([]);
    for (const attempt of [
      () => planPaymentMatch(at.ledger, reference, payout.id),
      () => returnCredit(at.ledger, reference),
      () => returnCredit(at.ledger, reference, { name: 'Jane', iban: payeeIban }),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'not_possible',
        message: expect.stringMatching(
          /cannot be matched to a payment|was given back already|is a payment of ours that came back/,
        ) as string,
      });
    const undoes = (debit: string) =>
      settleCredit(at.ledger, { reference, as: 'difference', debit, reason: 'its debit was booked by mistake', operator: 'jane' });
    await expect(undoes('none')).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('does not undo the debit') as string,
    });
    await book([debitOf(payout), { amount: '12.00', direction: 'DBIT', reference: 'OTHER' }]);
    const waiting = await at.ledger.selectFrom('bankDebits').where('state', '=', 'unexplained').select(['reference', 'amount']).execute();
    const [debit, other] = [waiting.find(({ amount }) => amount === 1250n), waiting.find(({ amount }) => amount === 1200n)];
    await expect(undoes(other?.reference ?? '')).rejects.toThrow('it is over 12.00 EUR');
    await at.expectAgreement();
    await undoes(debit?.reference ?? '');
    expect(await credit()).toMatchObject({ state: 'settled', settledAs: 'difference' });
    expect(await waitingMoney()).toEqual(expect.arrayContaining(['assets:differences 1200']));
    await expect(settleCredit(at.ledger, { reference, as: 'own', reason: 'x', operator: 'jane' })).rejects.toMatchObject({
      code: 'credit_not_unmatched',
    });
  });
});

it('a payout that was refused, and that the bank booked with its file and returned, is settled as own beside the fee of that sum', async () => {
  const { payouts, messageId } = await sendPayouts(at, 3);
  const [payout, ...others] = payouts as [SentPayout, SentPayout, SentPayout];
  await at.decide(payout.id, 'AC04');
  await book([{ amount: '37.50', direction: 'DBIT', reference: 'SUM', batch: '3', batchOf: messageId }, returnOf(payout)]);
  await explain('SUM', { as: 'payment', payments: others.map(({ id }) => id), isWithFee: true });
  await settleCredit(at.ledger, { reference: `${masterIban}:R1`, as: 'own', reason: 'booked with its file', operator: 'jane' });
  expect((await waitingMoney()).filter((line) => /operator|differences|suspense/.test(line))).toEqual([]);
});

describe('a returned payout that cannot be matched by itself', () => {
  it('because charges were deducted is matched by the operator, who adds them', async () => {
    const payout = await bookedPayout();
    await book([returnOf(payout, { amount: '12.00' })]);
    const { reason, reference } = await credit();
    expect(reason).toContain(`its payment ${payout.id} was over 12.50 EUR, and 12.00 EUR came back`);
    expect(isOwnPayment((await findWaitingCredit(at.ledger, reference)).railReason)).toBe(true);
    await expect(planPaymentMatch(at.ledger, reference)).rejects.toThrow(`--payment ${payout.id}`);
    const before = await waitingMoney();
    const plan = await planPaymentMatch(at.ledger, reference, payout.id);
    expect(plan).toMatchObject({ paid: 1250n, amount: 1200n, addedByOperator: 50n, kind: 'payout' });
    const results = await Promise.allSettled([matchToPayment(at.ledger, plan), matchToPayment(at.ledger, plan)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await givingBack(payout)).toMatchObject([{ amount: 1250n }]);
    const after = await waitingMoney();
    expect(after.filter((line) => !before.includes(line))).toEqual(expect.arrayContaining(['equity:operator 50']));
  });

  it('because it names no payment is matched to the one that the operator names', async () => {
    const payout = await bookedPayout();
    await book([returnOf({ endToEndId: 'NOTPROVIDED' })]);
    const { reason, reference } = await credit();
    expect(reason).toMatch(/it names no payment of this ledger/);
    await expect(planPaymentMatch(at.ledger, reference)).rejects.toThrow(payout.id);
    await matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference, payout.id));
    expect(await givingBack(payout)).toHaveLength(1);
  });

  it('because its address is linked no more is matched once that is linked again', async () => {
    const payout = await bookedPayout();
    await at.ledger.updateTable('profiles').set({ state: 'pending' }).execute();
    await book([returnOf(payout)]);
    const { reason, reference } = await credit();
    expect(reason).toContain('the profile of its order is pending');
    await expect(planPaymentMatch(at.ledger, reference)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('cannot be matched to a payment') as string,
    });
    await at.ledger.updateTable('profiles').set({ state: 'approved' }).execute();
    await matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference));
    expect(await givingBack(payout)).toHaveLength(1);
  });

  it('is paid to another account of the customer, once', async () => {
    const payout = await bookedPayout();
    await at.ledger.updateTable('profiles').set({ state: 'rejected' }).execute();
    await book([returnOf(payout)]);
    const { reference } = await credit();
    await expect(returnCredit(at.ledger, reference)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('is a payment of ours that came back') as string,
    });
    await expect(returnCredit(at.ledger, reference, { name: 'Jane Doe', iban: 'DE00' })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Nothing can be paid to this account') as string,
    });
    const { payment } = await returnCredit(at.ledger, reference, { name: 'Jane Doe', iban: payerIban });
    expect(await paymentOf({ id: payment as string })).toMatchObject({
      kind: 'return',
      creditorIban: payerIban,
      creditorName: 'Jane Doe',
      amount: 1250n,
    });
    await expect(planPaymentMatch(at.ledger, reference, payout.id)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('cannot be matched to a payment') as string,
    });
  });

  it('because the token contract refuses the tokens waits, and is matched again, never paid to its payee', async () => {
    const payout = await bookedPayout();
    await book([
      returnOf(payout, {
        transactions: [{ amount: '12.50', refs: { EndToEndId: payout.endToEndId }, returnReason: 'AC04', payer: { iban: payeeIban } }],
      }),
    ]);
    const [first] = await givingBack(payout);
    await at.settle(first?.id as string, 'issue', randomHash(), 'account is blocked');
    expect(await at.order(first?.id as string)).toMatchObject({ state: 'rejected' });
    const { reference } = await credit();
    expect(await credit()).toMatchObject({ state: 'unmatched', reason: 'the token contract refused the issue: account is blocked' });
    await matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference));
    expect(await givingBack(payout)).toHaveLength(2);
    expect(await at.ledger.selectFrom('payments').where('kind', '=', 'return').selectAll().execute()).toEqual([]);
  });
});

/** A return to a payer that the bank has booked. */
async function bookedReturn() {
  const { order, reference } = await at.refusedCredit();
  await makePaymentsOfLegs(at.ledger, 100);
  await at.sendAll();
  const { id } = (await at.payments()).at(-1) as { id: string };
  const payment = { id, endToEndId: id.replaceAll('-', ''), order, credit: reference };
  await book([debitOf(payment, '3.00')]);
  return payment;
}

describe('a return to a payer that comes back', () => {
  it('lets the credit wait again, which then goes to another account or becomes an order', async () => {
    const payment = await bookedReturn();
    await book([returnOf(payment, { amount: '3.00' })]);
    expect(await paymentOf(payment)).toMatchObject({ state: 'returned' });
    expect(await credit()).toMatchObject({ state: 'settled', settledAs: 'return' });
    expect(await at.credit(payment.credit)).toMatchObject({
      state: 'unmatched',
      reason: 'its return to the payer came back: AC04 closed account number',
      facts: { paymentId: payment.id, orderId: payment.order },
    });
    const again = await returnCredit(at.ledger, payment.credit, { name: 'Jón Jónsson', iban: payeeIban });
    expect(await paymentOf({ id: again.payment as string })).toMatchObject({ state: 'ready', creditorIban: payeeIban });
  });

  it('less charges is matched by the operator', async () => {
    const payment = await bookedReturn();
    await book([returnOf(payment, { amount: '2.00' })]);
    const { reference } = await credit();
    const matched = await matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference, payment.id));
    expect(matched).toEqual({ payment: payment.id, waitingCredit: payment.credit });
    expect(await at.credit(payment.credit)).toMatchObject({ state: 'unmatched', amount: 300n });
  });
});

const sumOf = (amount: string, batchOf: string, more: Partial<EntrySpec> = {}): EntrySpec => ({ amount, batch: '2', batchOf, ...more });
const ends = async (payouts: readonly SentPayout[]) => {
  const payments = await at.payments();
  return Promise.all(
    payouts.map(async ({ id, order }) => [payments.find((one) => one.id === id)?.state, (await givingBack({ order })).length]),
  );
};

describe('a file of payouts that comes back in one sum', () => {
  const returned = ['returned', 1];

  it.each([
    ['by its code', { code: ['ICDT', 'RRTN'] as [string, string] }],
    ['as reversed', { reversal: true }],
  ])('gives the tokens of each back, once: %s', async (_, how) => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    const back = sumOf('25.00', messageId, { reference: 'R1', ...how });
    await book([back], { message: 'camt.054' });
    expect(await ends(payouts)).toEqual([returned, returned]);
    const listed = await book([sumOf('25.00', messageId, { direction: 'DBIT', reference: 'D1' }), back]);
    expect(listed).toMatchObject({ counts: { issued: 0, known: 2, unmatched: 0 }, alerts: [] });
    expect(await ends(payouts)).toEqual([returned, returned]);
    await book([sumOf('25.00', messageId, { direction: 'DBIT', reference: 'R1', reversal: true, code: ['ICDT', 'RRTN'] })]);
    expect(await ends(payouts)).toEqual([
      ['accepted', 1],
      ['accepted', 1],
    ]);
  });

  it('without some of its payments waits until an operator names the others, which no payment alone takes', async () => {
    const { payouts, messageId } = await sendPayouts(at, 3);
    const [first, second, third] = payouts as [SentPayout, SentPayout, SentPayout];
    const back = sumOf('25.00', messageId, { reference: 'R1', code: ['ICDT', 'RRTN'] });
    await book([back], { message: 'camt.054' });
    const { reference, reason } = await credit();
    expect(reason).toContain('name those that came back, --payment ID,ID');
    await expect(planPaymentMatch(at.ledger, reference, first.id)).rejects.toThrow('name all that it brings back');
    const match = (...named: SentPayout[]) =>
      matchToPayments(at.ledger, { reference, payments: named.map(({ id }) => id) }, { ...creditOptions, source: 'operator' });
    await expect(match(first, second, third)).rejects.toThrow('the payments come to 37.50, and it is over 25.00');
    expect(await match(first, second)).toMatchObject([
      { amount: '12.50', chain: 'chiado' },
      { amount: '12.50', chain: 'chiado' },
    ]);
    await expect(match(first, third)).rejects.toMatchObject({ code: 'credit_not_unmatched' });
    await book([back]);
    expect(await ends(payouts)).toEqual([returned, returned, ['sent', 0]]);
  });
});

it.each(['a payout', 'a file of payouts'])(
  '%s that the bank notified as debited, and has not booked, gives its tokens back',
  async (what) => {
    const { payouts, messageId } = await sendPayouts(at, what === 'a payout' ? 1 : 2);
    const debit =
      what === 'a payout'
        ? debitOf(payouts[0] as SentPayout)
        : { amount: '25.00', direction: 'DBIT', reference: 'D-FILE', batch: '2', batchOf: messageId };
    await book([debit], { message: 'camt.054' });
    await undoAwaitedDebit(at.ledger, `${masterIban}:${debit.reference}`, { reason: 'the bank says so', operator: 'jane' });
    for (const payout of payouts) {
      expect(await givingBack(payout)).toMatchObject([{ state: 'placed', amount: 1250n }]);
      expect(await paymentOf(payout)).toMatchObject({ state: 'returned' });
    }
    await book([debit]);
    for (const payout of payouts) {
      expect(await givingBack(payout)).toMatchObject([{ state: 'rejected' }]);
      expect(await paymentOf(payout)).toMatchObject({ state: 'accepted' });
    }
    await at.expectAgreement();
  },
);
