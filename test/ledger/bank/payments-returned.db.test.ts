import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { describe, expect, it } from 'vitest';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { requestReturn } from '../../../src/ledger/bank/payments.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { returnUnmatched } from '../../../src/operations/bank/unmatched/return.ts';
import { createLog } from '../../../src/platform/log.ts';
import type { PostalAddress } from '../../../src/platform/settings/postal-address.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { payeeIban, payerIban, randomHash, testPayments } from './payments-ledger.ts';
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

  it('goes to an address of the payer that the operator names, or to that of the account', async () => {
    const own = { city: 'London', country: 'GB' };
    const named = { city: 'Bath', country: 'GB' };
    const toPayer = async (address?: PostalAddress) => {
      const reference = await unmatched({ iban: payerIban, postalAddress: own }, 'gbp');
      return (await returnCredit(at.ledger, reference, undefined, address)).payment;
    };
    const elsewhere = await returnCredit(
      at.ledger,
      await unmatched({ iban: payerIban, postalAddress: own }, 'gbp'),
      { name: 'Ann', iban: payeeIban },
      named,
    );
    const ids = [await toPayer(), await toPayer(named), elsewhere.payment];
    const payments = await at.payments();
    expect(ids.map((id) => payments.find((payment) => payment.id === id)?.creditorAddress)).toEqual([own, named, named]);
  });

  it('is refused while it lacks an address that the bank needs, and names the option', async () => {
    const settings = loadSettings({ DATABASE_URL: 'postgres://unused', BANK_ADDRESS_PARTS: 'gbp:city+country' });
    const context = { ledger: at.ledger, settings, log: createLog('silent'), operator: { name: 'olga', role: 'treasurer' as const } };
    const reference = await unmatched(undefined, 'gbp');
    const input = (more: object) => returnUnmatched.input.parse({ reference, amount: '3.00', ...more });
    for (const more of [{}, { toIban: payeeIban, toName: 'Ann' }]) {
      const refused = { code: 'not_possible', message: expect.stringMatching(/city, country.*--to-address/) };
      await expect(returnUnmatched.describe(context, input(more))).rejects.toMatchObject(refused);
      await expect(returnUnmatched.carryOut(context, input(more), undefined)).rejects.toMatchObject(refused);
    }
    expect((await at.credit(reference)).state).toBe('unmatched');
    const toAddress = '{"city":"London","country":"GB"}';
    expect(await returnUnmatched.describe(context, input({ toAddress }))).toContain('London, GB');
    await returnUnmatched.carryOut(context, input({ toAddress }), undefined);
    expect(await at.payments()).toMatchObject([{ credit: reference, creditorIban: payerIban, creditorAddress: JSON.parse(toAddress) }]);
    expect(returnUnmatched.input.safeParse({ reference, amount: '3.00', toAddress: 'London' }).success).toBe(false);
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
