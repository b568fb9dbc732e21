import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandboxRail, sandboxPayees } from '../../../src/bank/sandbox-rail.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { rejectPayout, settleBookedDebits } from '../../../src/ledger/bank/payments.ts';
import { endToEndIdOf } from '../../../src/ledger/end-to-end-id.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { retryGiveBack } from '../../../src/ledger/orders/stuck-orders.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { randomHash, testPayments } from '../bank/payments-ledger.ts';
import { journal } from './journal.ts';

const bank = testPayments({ isShared: true });
let before: number;

beforeEach(async () => {
  before = (await journal(bank.ledger)).length;
});

// Whatever is under way: the states of the ledger say the same.
afterEach(() => bank.expectAgreement());

const added = async () => (await journal(bank.ledger)).slice(before);
const lines = (amount: string) => ({
  redeemed: `redeemed: liabilities:tokens:chiado -> liabilities:payout ${amount} eur`,
  givenBack: `issued: liabilities:payout -> liabilities:tokens:chiado ${amount} eur`,
  sent: `payment-sent: liabilities:payout -> liabilities:payments ${amount} eur`,
  refused: `payment-refused: liabilities:payments -> liabilities:payout ${amount} eur`,
  booked: (account: string) => `payment-booked: liabilities:payments -> assets:bank:${account} ${amount} eur`,
});
const { redeemed, givenBack, sent, refused, booked } = lines('12.50');
const master = 'IS140159260076545510730339';

/** Reports a payment's debit, with its booking day. */
const debit = (id: string, bookedOn = '2026-05-04') =>
  inTransaction(bank.ledger, (tx) =>
    settleBookedDebits(tx, [{ endToEndId: endToEndIdOf(id), amount: minorUnits(1250n), currency: 'eur', bookedOn, account: master }]),
  );
const handToSandbox = async () => {
  await makePaymentsOfLegs(bank.ledger, 100);
  await takePaymentBatch(bank.ledger, createSandboxRail());
};

describe('an issue', () => {
  it('of a credit puts its tokens into circulation', async () => {
    const { order, reference } = await bank.credited();
    await bank.settle(order, 'issue', randomHash());
    expect(await added()).toEqual([
      'credit: assets:bank:sandbox -> liabilities:issue 3.00 eur',
      'issued: liabilities:issue -> liabilities:tokens:chiado 3.00 eur',
    ]);
    expect(await journal(bank.ledger, reference)).toHaveLength(1);
  });

  it('on another chain is paid by the redemption', async () => {
    const { order } = await bank.burnt({ to: 'sepolia' });
    const { id } = await bank.ledger.selectFrom('orders').where('sourceOrder', '=', order).select('id').executeTakeFirstOrThrow();
    await bank.settle(id, 'issue', randomHash());
    expect(await added()).toEqual([redeemed, 'issued: liabilities:payout -> liabilities:tokens:sepolia 12.50 eur']);
  });

  it('that is refused on another chain leaves the money to be given back', async () => {
    const { order } = await bank.burnt({ to: 'sepolia' });
    const { id } = await bank.ledger.selectFrom('orders').where('sourceOrder', '=', order).select('id').executeTakeFirstOrThrow();
    await bank.settle(id, 'issue', randomHash(), 'the account is blocked');
    await bank.settle(order, 'issue', randomHash());
    expect(await added()).toEqual([redeemed, givenBack]);
  });
});

describe('a payout', () => {
  it('is under way until a statement shows it, and booked once, on the day and the account of the statement', async () => {
    const { id } = await bank.sentPayout();
    await debit(id);
    await debit(id, '2026-05-05');
    expect(await added()).toEqual([redeemed, sent, booked(master)]);
    const [payment] = await bank.ledger.selectFrom('payments').where('id', '=', id).selectAll().execute();
    expect(payment).toMatchObject({ bankAccount: master, bookedOn: '2026-05-04' });
    const entry = await bank.ledger
      .selectFrom('entries')
      .where('source', '=', id)
      .where('kind', '=', 'payment-booked')
      .selectAll()
      .execute();
    expect(entry).toMatchObject([{ bookedOn: '2026-05-04' }]);
  });

  it('that the bank has accepted stays under way until a statement shows it', async () => {
    const { id } = await bank.sentPayout();
    await bank.decide(id, null);
    expect(await added()).toEqual([redeemed, sent]);
    expect(await debit(id)).toMatchObject([{ outcome: 'known' }]);
    await debit(id);
    expect(await added()).toEqual([redeemed, sent, booked(master)]);
  });

  it('that the bank refuses is owed again, and ends when the tokens are given back', async () => {
    const { id, order } = await bank.sentPayout();
    await bank.decide(id, 'AC04');
    await bank.settle(order, 'issue', randomHash());
    expect(await added()).toEqual([redeemed, sent, refused, givenBack]);
  });

  it('that an operator refuses before it is sent stays owed, however often the tokens are refused', async () => {
    const { order } = await bank.burnt();
    await makePaymentsOfLegs(bank.ledger, 100);
    await rejectPayout(bank.ledger, order, 'wrong account');
    await bank.settle(order, 'issue', randomHash(), 'the account is blocked');
    const leg = bank.ledger.selectFrom('legs').where('orderId', '=', order).where('kind', '=', 'issue').select('id');
    const { id } = await leg.executeTakeFirstOrThrow();
    await retryGiveBack(bank.ledger, order);
    await bank.settleLeg(id, 8n, 'the account is blocked');
    await retryGiveBack(bank.ledger, order);
    expect(await added()).toEqual([redeemed]);
    await bank.settleLeg(id, 9n);
    expect(await added()).toEqual([redeemed, givenBack]);
  });

  it('of the simulated bank is booked at once, refused at once, or under way', async () => {
    await bank.burnt();
    await handToSandbox();
    expect(await added()).toEqual([redeemed, sent, booked('sandbox')]);
    await bank.burnt({ iban: sandboxPayees.refused });
    await handToSandbox();
    await bank.burnt({ iban: sandboxPayees.slow });
    await handToSandbox();
    expect((await added()).slice(3)).toEqual([redeemed, redeemed, sent]);
  });
});

it('a refused burn moves nothing', async () => {
  await bank.burnt({ refused: 'the signature is invalid' });
  expect(await added()).toEqual([]);
});

it('a return is owed, under way, and booked', async () => {
  const { reference } = await bank.refusedCredit();
  await handToSandbox();
  expect(reference).toBeDefined();
  expect((await added()).slice(2)).toEqual([
    'payment-sent: liabilities:return -> liabilities:payments 3.00 eur',
    'payment-booked: liabilities:payments -> assets:bank:sandbox 3.00 eur',
  ]);
});
