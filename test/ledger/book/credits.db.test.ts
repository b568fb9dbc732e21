import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../../src/ledger/bank/match-credits.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { replaceCredits } from '../../../src/ledger/bank/reported-credits.ts';
import { matchCredit } from '../../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { payerIban, randomHash, testPayments } from '../bank/payments-ledger.ts';
import { journal } from './journal.ts';

const bank = testPayments({ isShared: true });
let before: number;
const options = { source: 'statement.xml', defaultMemo: 'memo', tokens: ['chiado:eur'] };

beforeEach(async () => {
  before = (await journal(bank.ledger)).length;
});

// Whatever is under way: the states of the ledger say the same.
afterEach(() => bank.expectAgreement());

const added = async () => (await journal(bank.ledger)).slice(before);

const newCredit = (more: Partial<NewCredit> = {}): NewCredit => ({
  reference: randomUUID(),
  bankAccount: 'IS140159260076545510730339',
  iban: bank.customer.iban,
  currency: 'eur',
  amount: minorUnits(1050n),
  payer: { name: 'Jón', iban: payerIban },
  bookedOn: '2026-05-04',
  ...more,
});

async function record(credit: NewCredit) {
  const [recorded] = await recordCredits(bank.ledger, [credit], options);
  return { reference: credit.reference, orderId: recorded?.orderId as string };
}

const unmatched = { unmatched: 'the reader doubts it', railReason: 'reference_missing' };
const master = 'assets:bank:IS140159260076545510730339';
const received = `credit: ${master} -> liabilities:issue 10.50 eur`;
const suspended = `credit: ${master} -> liabilities:suspense 10.50 eur`;
const match = 'match: liabilities:suspense -> liabilities:issue 10.50 eur';
const returned = 'credit-returned: liabilities:suspense -> liabilities:return 10.50 eur';
const undone = (amount: string) => `credit-replaced: liabilities:suspense -> ${master} ${amount} eur`;
const replace = (reference: string, remaining: bigint | null) =>
  inTransaction(bank.ledger, (tx) => replaceCredits(tx, [{ reference, remaining: remaining === null ? null : minorUnits(remaining) }]));

describe('a credit', () => {
  it('is booked on the day and on the account of its statement, once', async () => {
    const { reference } = await record(newCredit());
    await record(newCredit({ reference }));
    expect(await journal(bank.ledger, reference)).toEqual([received]);
    const entry = await bank.ledger.selectFrom('entries').where('source', '=', reference).select('bookedOn').executeTakeFirstOrThrow();
    expect(entry.bookedOn).toBe('2026-05-04');
  });

  it('that two imports record at once becomes one order, and neither fails', async () => {
    // Large facts take long to store: each import looks for the other's credit before that one is there.
    const facts = { text: randomBytes(400_000).toString('hex') };
    for (let round = 0; round < 2; round += 1) {
      const credit = newCredit({ facts });
      const [first, second] = await Promise.all([record(credit), record(credit)]);
      expect(first.orderId).toBe(second.orderId);
      expect(await journal(bank.ledger, credit.reference)).toEqual([received]);
    }
  });

  it('is held in suspense while it is unmatched', async () => {
    const { reference } = await record(newCredit(unmatched));
    expect(await journal(bank.ledger, reference)).toEqual([suspended]);
    await matchCredit(bank.ledger, reference, options);
    expect(await added()).toEqual([suspended, match]);
  });

  it('makes no entry while its amount or currency is not known', async () => {
    const { amount: _, ...credit } = newCredit({ unmatched: 'no amount', railReason: 'amount_malformed' });
    const { reference } = await record(credit);
    const { payment } = await returnCredit(bank.ledger, reference);
    expect(payment).toBeUndefined();
    expect(await added()).toEqual([]);
  });

  it('that is returned is owed to its payer, also when the operator has to send the money', async () => {
    const { reference } = await record(newCredit(unmatched));
    expect((await returnCredit(bank.ledger, reference)).payment).toBeDefined();
    const { reference: nameless } = await record(newCredit({ ...unmatched, payer: {} }));
    expect((await returnCredit(bank.ledger, nameless)).payment).toBeUndefined();
    expect(await added()).toEqual([suspended, returned, suspended, returned]);
  });

  it('whose return is refused is in suspense again, as often as that happens', async () => {
    const { reference } = await record(newCredit(unmatched));
    const refuse = async () => {
      const { payment } = await returnCredit(bank.ledger, reference);
      await bank.decide(payment as string, 'AC04', ['ready']);
    };
    await refuse();
    await refuse();
    await matchCredit(bank.ledger, reference, options);
    const refusal = 'return-refused: liabilities:return -> liabilities:suspense 10.50 eur';
    expect(await added()).toEqual([suspended, returned, refusal, returned, refusal, match]);
  });
});

describe('a refused issue', () => {
  it('owes the money to the payer, and is in suspense when the bank refuses the return', async () => {
    const { orderId } = await record(newCredit());
    await bank.settle(orderId, 'issue', randomHash(), 'the account is blocked');
    await makePaymentsOfLegs(bank.ledger, 100);
    const payment = await bank.ledger.selectFrom('payments').orderBy('createdAt', 'desc').select('id').executeTakeFirstOrThrow();
    await bank.decide(payment.id, 'AC04', ['ready']);
    expect(await added()).toEqual([
      received,
      'issue-refused: liabilities:issue -> liabilities:return 10.50 eur',
      'return-refused: liabilities:return -> liabilities:suspense 10.50 eur',
    ]);
  });

  it('is in suspense when the account of the payer is not known, as often as that happens', async () => {
    const { reference, orderId } = await record(newCredit({ payer: {} }));
    await bank.settle(orderId, 'issue', randomHash(), 'the account is blocked');
    const again = await matchCredit(bank.ledger, reference, options);
    await bank.settle(again.orderId, 'issue', randomHash(), 'the account is blocked');
    await matchCredit(bank.ledger, reference, options);
    const refusal = 'issue-refused: liabilities:issue -> liabilities:suspense 10.50 eur';
    expect(await added()).toEqual([received, refusal, match, refusal, match]);
  });
});

describe('a sum', () => {
  it('is undone as far as its transactions replace it', async () => {
    const { reference } = await record(newCredit({ ...unmatched, isSum: true }));
    await replace(reference, 1000n);
    await replace(reference, 300n);
    await replace(reference, null);
    expect(await added()).toEqual([suspended, undone('0.50'), undone('7.00'), undone('3.00')]);
  });
});
