import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { describe, expect, it } from 'vitest';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { requestReturn } from '../../../src/ledger/bank/payments.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { payerIban, randomHash, testPayments } from './payments-ledger.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { type MinorUnits, minorUnits } from '../../../src/platform/money.ts';

const at = testPayments();

async function sentReturn() {
  const credit = await at.refusedCredit();
  await makePaymentsOfLegs(at.ledger, 100);
  await at.sendAll();
  return { ...credit, id: (await at.payments()).at(-1)?.id ?? '' };
}

async function unmatched(
  payer: object = { name: 'Jón', iban: payerIban },
  currency = 'eur',
  amount: MinorUnits | null = minorUnits(300n),
): Promise<string> {
  const reference = randomHash();
  const credit = {
    reference,
    bankAccount: 'sandbox',
    currency,
    payer,
    endToEndId: 'E',
    unmatched: 'because',
    ...(amount !== null && { amount }),
  };
  await recordCredits(at.ledger, [credit], { source: 'test', defaultMemo: 'memo', tokens: [] });
  return reference;
}

describe('the end of a return', () => {
  it('leaves the order rejected as it was', async () => {
    const { order, id } = await sentReturn();
    at.woken.length = 0;
    expect(await at.decide(id, null)).toEqual({ ids: [id], orders: [] });
    expect(at.woken).toEqual([]);
    expect(await at.legs(order)).toBe('issue refused, return done');
    expect(await at.order(order)).toMatchObject({ state: 'rejected', rejectedReason: 'account is blocked' });
  });

  it('that the bank refused leaves the money to the operator, who may return it again', async () => {
    const { order, id, reference } = await sentReturn();
    await at.decide(id, 'AC04 closed account number');
    expect(await at.legs(order)).toBe('issue refused, return refused');
    expect(await at.credit(reference)).toMatchObject({
      state: 'unmatched',
      orderId: null,
      reason: 'it could not be returned to its payer: AC04 closed account number',
      facts: { paymentId: id, orderId: order },
    });
    const { payment } = await returnCredit(at.ledger, reference);
    expect(await at.payments()).toMatchObject([{ state: 'refused' }, { id: payment, state: 'ready', credit: reference, leg: null }]);
  });
});

describe('a return that an operator asks for', () => {
  it('is one payment, however often it is asked for', async () => {
    const reference = await unmatched();
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => returnCredit(at.ledger, reference)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await inTransaction(at.ledger, (tx) => requestReturn(tx, reference))).toBeUndefined();
    expect(await at.payments()).toMatchObject([
      { kind: 'return', credit: reference, leg: null, amount: 300n, remittance: 'Return of payment E', state: 'ready' },
    ]);
  });

  it.each([
    ['no payer', [{}]],
    ['a currency that is none of ours', [{ iban: payerIban }, 'chf']],
    ['no amount', [{ iban: payerIban }, 'eur', null]],
  ] as const)('is left to the operator with %s', async (_, [payer, currency, amount]) => {
    const reference = await unmatched(payer, currency, amount);
    expect((await returnCredit(at.ledger, reference)).payment).toBeUndefined();
    expect(await at.payments()).toEqual([]);
    expect((await at.credit(reference)).state).toBe('returned');
  });

  it('that the bank refuses makes the credit unmatched again', async () => {
    const reference = await unmatched();
    const { payment } = await returnCredit(at.ledger, reference);
    await at.sendAll();
    await at.decide(payment ?? '', 'AC04');
    expect(await at.credit(reference)).toMatchObject({
      state: 'unmatched',
      returnedAt: null,
      reason: 'it could not be returned to its payer: AC04',
    });
  });
});
