import { randomUUID } from 'node:crypto';
import { composeIBAN } from 'ibantools';
import { expect } from 'vitest';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../../src/ledger/bank/match-credits.ts';
import { importBankFile } from '../../../src/statements/import-file.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../../src/platform/money.ts';
import { answerByFile } from '../../../src/statements/recalls/answer-recall.ts';
import { stream } from '../../bank/iso20022/camt/reading.ts';
import { el, type EntrySpec, masterIban } from '../../bank/iso20022/camt/statement-xml.ts';
import { recallXml } from '../../bank/iso20022/recalls/recall-xml.ts';
import { type PaymentsLedger, payerIban, randomHash } from '../../ledger/bank/payments-ledger.ts';
import { creditOptions, payment } from '../../statements/bank-rail.ts';
import { bookings } from '../../statements/bookings.ts';
import { creditTo } from '../../support/credits.ts';
import { nextAmount, reason, type Twin } from './twin.ts';

/** A credit that waits for an operator, as a page shows it. */
async function waitingCredit({ ledger, customer }: PaymentsLedger, more: Partial<NewCredit> = {}) {
  const payer = { name: 'Jón', iban: payerIban };
  const credit = creditTo(customer.iban, nextAmount().minor, { unmatched: 'the IBAN is not assigned', payer, ...more });
  await recordCredits(ledger, [credit], { ...creditOptions, source: 'test' });
  return { reference: credit.reference, amount: formatAmount(credit.amount as MinorUnits) };
}

/** A line of a statement that was taken for the money of a notified credit. */
async function knownLine(payments: PaymentsLedger) {
  const { amount, number } = nextAmount();
  const entry = { amount, transactions: [payment(payments.customer.iban, amount)] };
  const { book } = bookings(payments);
  await book([{ ...entry, reference: `N${number}` }], { message: 'camt.054' });
  await book([{ ...entry, reference: number }]);
  return { reference: `${masterIban}:${number}`, amount };
}

/** A debit of the bank that is none of our payments. */
async function unexplainedDebit(payments: PaymentsLedger): Promise<string> {
  const { amount, number } = nextAmount();
  await bookings(payments).book([{ amount, reference: number, direction: 'DBIT' }]);
  return `${masterIban}:${number}`;
}

/** A claim: the bank has taken a credit back that was issued. */
async function openClaim(payments: PaymentsLedger) {
  const { amount, minor, number } = nextAmount();
  const { book, creditOf } = bookings(payments);
  const refs = { EndToEndId: `E${number}`, UETR: randomUUID() };
  await book([{ amount, reference: number, transactions: [payment(payments.customer.iban, amount, { refs })] }]);
  const { orderId } = await creditOf(number);
  await payments.settle(orderId as string, 'issue', randomHash());
  const back: EntrySpec = { amount, reference: `D${number}`, direction: 'DBIT', reversal: true, transactions: [{ amount, refs }] };
  await book([back]);
  return { claim: `${masterIban}:D${number}`, minor };
}

/** A statement before which another seems to be missing, of an account of its own. */
async function gap(payments: PaymentsLedger): Promise<string> {
  const { number } = nextAmount();
  const account = composeIBAN({ countryCode: 'DE', bban: `37040044${number.slice(1).padStart(10, '0')}` }) as string;
  for (const sequence of [1, 3])
    await bookings(payments).book([], { account: el('Id', el('IBAN', account)), sequence, opening: '0.00', day: `2026-11-0${sequence}` });
  const statements = payments.ledger.selectFrom('bankStatements').where('account', '=', account).where('gap', 'is not', null).select('id');
  return (await statements.executeTakeFirstOrThrow()).id;
}

/** A bank asks for the money of a credit that waits. */
export async function openRecall(payments: PaymentsLedger): Promise<string> {
  const uetr = randomUUID();
  const { amount } = await waitingCredit(payments, { bankAccount: masterIban, bookedOn: '2026-11-19', uetr });
  const file = { name: 'recall.xml', chunks: stream([recallXml({ caseId: uetr.slice(0, 30), uetr, amount })]), options: creditOptions };
  await importBankFile(payments.ledger, file);
  const recalls = payments.ledger.selectFrom('recalls').orderBy('receivedAt', 'desc').limit(1).select('id');
  return (await recalls.executeTakeFirstOrThrow()).id;
}

export const bankTwins: Twin[] = [
  {
    verb: 'bank.reject-payment',
    guard: 'payout_decided',
    async prepare(payments) {
      const { id: payout } = await payments.sentPayout();
      return {
        input: { payment: payout, state: 'sent', reason },
        command: ['payments', 'reject', payout, reason],
        audited: payout,
      };
    },
  },
  {
    verb: 'bank.match',
    guard: 'credit_not_unmatched',
    async prepare(payments) {
      const { reference, amount } = await knownLine(payments);
      return {
        input: { reference, amount, again: true, reason },
        command: ['bank', 'match', reference, '--again', '--reason', reason],
        audited: reference,
      };
    },
    async isDone({ credit }, { audited }) {
      const { state, orderId, matchedBecause } = await credit(audited as string);
      expect({ state, orderId, matchedBecause }).toEqual({
        state: 'matched',
        orderId: expect.any(String) as string,
        matchedBecause: reason,
      });
    },
  },
  {
    verb: 'bank.return',
    guard: 'credit_not_unmatched',
    async prepare(payments) {
      const { reference, amount } = await waitingCredit(payments);
      return { input: { reference, amount }, command: ['bank', 'return', reference, '--amount', amount], audited: reference };
    },
  },
  {
    verb: 'bank.repeat',
    guard: 'credit_not_unmatched',
    async prepare(payments) {
      const { reference: mayRepeat } = await payments.credited();
      const { amount: repeated } = await payments.credit(mayRepeat);
      const suspected = { railReason: 'suspected_repeat', mayRepeat, amount: repeated as MinorUnits };
      const { reference, amount } = await waitingCredit(payments, suspected);
      return { input: { reference, amount }, command: ['bank', 'repeat', reference], audited: reference };
    },
  },
  {
    verb: 'bank.settle',
    guard: 'credit_not_unmatched',
    async prepare(payments) {
      const { reference, amount } = await waitingCredit(payments);
      return {
        input: { reference, amount, as: 'own', reason },
        command: ['bank', 'settle', reference, '--as', 'own', '--reason', reason],
        audited: reference,
      };
    },
  },
  {
    verb: 'bank.not-booked',
    guard: 'not_possible',
    async prepare(payments) {
      const { reference } = await waitingCredit(payments, { isAwaited: true });
      return {
        input: { reference, reason },
        command: ['bank', 'not-booked', reference, '--reason', reason],
        audited: `${reference}#not-booked`,
      };
    },
  },
  {
    verb: 'bank.explain',
    guard: 'not_possible',
    async prepare(payments) {
      const debit = await unexplainedDebit(payments);
      return {
        input: { debit, as: 'fee', reason },
        command: ['bank', 'explain', debit, '--as', 'fee', '--reason', reason],
        audited: debit,
      };
    },
  },
  {
    verb: 'bank.accept-gap',
    guard: 'not_found',
    async prepare(payments) {
      const statement = await gap(payments);
      return { input: { statement, reason }, command: ['bank', 'accept-gap', statement, '--reason', reason], audited: statement };
    },
  },
  {
    verb: 'bank.recover-claim',
    guard: 'not_found',
    async prepare(payments) {
      const { claim, minor } = await openClaim(payments);
      const { reference: credit } = await waitingCredit(payments, { amount: minorUnits(minor) });
      return { input: { claim, credit }, command: ['bank', 'claims', 'settle', claim, '--by', credit], audited: credit };
    },
  },
  {
    verb: 'bank.write-off-claim',
    guard: 'not_found',
    async prepare(payments) {
      const { claim } = await openClaim(payments);
      return {
        input: { claim, reason },
        command: ['bank', 'claims', 'settle', claim, '--write-off', '--reason', reason],
        audited: claim,
      };
    },
  },
  {
    verb: 'bank.undo-claim',
    guard: 'not_found',
    async prepare(payments) {
      const { claim } = await openClaim(payments);
      return { input: { claim, reason }, command: ['bank', 'claims', 'undo', claim, '--reason', reason], audited: claim };
    },
  },
  {
    verb: 'bank.accept-recall',
    guard: 'not_found',
    async prepare(payments) {
      const recall = await openRecall(payments);
      return { input: { recall }, command: ['bank', 'recalls', 'accept', recall], audited: recall };
    },
  },
  {
    verb: 'bank.refuse-recall',
    guard: 'not_found',
    async prepare(payments) {
      const recall = await openRecall(payments);
      return { input: { recall, code: 'CUST' }, command: ['bank', 'recalls', 'refuse', recall, '--code', 'CUST'], audited: recall };
    },
  },
  {
    verb: 'bank.undo-recall',
    guard: 'not_found',
    async prepare(payments) {
      const id = await openRecall(payments);
      const decision = { kind: 'accepted', credit: undefined } as const;
      await answerByFile(payments.ledger, { bankTimeZone: 'UTC' }, { id, decision, operator: 'jane' });
      return { input: { recall: id, reason }, command: ['bank', 'recalls', 'undo', id, '--reason', reason], audited: id };
    },
  },
];
