import { beforeEach, expect, it } from 'vitest';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { undoAwaitedDebit } from '../../src/ledger/bank/returns/not-booked-debits.ts';
import { matchToPayment, planPaymentMatch } from '../../src/ledger/bank/returns/payment-match.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payeeIban, testPayments } from '../ledger/bank/payments-ledger.ts';
import { bookings, operatorsDecision } from './bookings.ts';
import { permutations } from './every-order.ts';

const at = testPayments();
const { book, creditOf, balances } = bookings(at);

/** The credit that is returned to its payer, and the EndToEndId of that payment. */
let credit: string;
let EndToEndId: string;
beforeEach(async () => {
  credit = (await at.refusedCredit()).reference;
  await makePaymentsOfLegs(at.ledger, 100);
  await at.sendAll();
  EndToEndId = (await at.payments()).at(-1)?.id.replaceAll('-', '') ?? '';
});

const entry = (reference: string, more: Partial<EntrySpec>): EntrySpec => {
  const { amount = '3.00' } = more;
  return { amount, reference, transactions: [{ amount, refs: { EndToEndId } }], ...more };
};
const debit = () => entry('D', { direction: 'DBIT', code: ['ICDT', 'ESCT'] });
const back = (amount = '3.00') => entry('R', { amount, code: ['ICDT', 'RRTN'] });
const takenBack = (amount = '3.00') => entry('R', { amount, direction: 'DBIT', reversal: true });
const returnAgain = () => returnCredit(at.ledger, credit, { name: 'Jón Jónsson', iban: payeeIban });
const claims = async () => (await at.ledger.selectFrom('claims').select(['state', 'amount']).execute()).map(Object.values);
/** States of the credit, of its payments and of debits, and what the book has of differences, of what waits and of the operator's. */
async function standing() {
  const debits = await at.ledger.selectFrom('bankDebits').select('state').orderBy('reference').execute();
  const book = Object.entries(await balances()).filter(([account]) => /differences|suspense|operator|claims/.test(account));
  return {
    credit: (await at.credit(credit)).state,
    payments: (await at.payments()).map(({ state }) => state),
    debits: debits.map(({ state }) => state),
    book: Object.fromEntries(book),
  };
}
const returned = { credit: 'returned', payments: ['accepted'], debits: ['payment', 'reversal'], book: {} };
/** The credit has not waited in between: what came back was taken for the correction of a second debit. */
const correctedDebit = { credit: 'matched', payments: ['accepted'], debits: ['payment', 'explained'], book: {} };

it.each(permutations(['D', 'R', 'X']).map((order) => order.join(', ')))(
  'a return to a payer that came back is with its payer once the bank takes that back: in the order %s',
  async (order) => {
    const entries: Record<string, EntrySpec> = { D: debit(), R: back(), X: takenBack() };
    for (const name of order.split(', ')) await book([entries[name] as EntrySpec]);
    expect(await standing()).toEqual(order === 'D, X, R' || order === 'X, D, R' ? correctedDebit : returned);
  },
);

it('so is one that came back less charges, which the operator had added', async () => {
  await book([debit(), back('2.00')]);
  const { reference } = await creditOf('R');
  const match = async () => matchToPayment(at.ledger, await planPaymentMatch(at.ledger, reference, (await at.payments())[0]?.id ?? ''));
  await match();
  await book([takenBack('2.00')]);
  expect(await standing()).toEqual(returned);
  await undoReversal(at.ledger, reference, operatorsDecision);
  await match();
  expect(await at.credit(credit)).toMatchObject({ state: 'unmatched' });
});

it('one that is to be returned again is not', async () => {
  await book([debit(), back()]);
  await returnAgain();
  await book([takenBack()]);
  expect(await standing()).toEqual({ ...returned, payments: ['accepted', 'refused'] });
});

it('one that was returned again meanwhile is a claim', async () => {
  await book([debit(), back()]);
  await returnAgain();
  await at.sendAll();
  await book([takenBack()]);
  expect([await claims(), (await at.payments()).map(({ state }) => state)]).toEqual([[['open', 300n]], ['returned', 'sent']]);
});

it.each([
  ['its payer has the money', false],
  ['there is a claim after it was returned again', true],
])('a return of which an operator said that the bank had not booked it, and a statement lists it: %s', async (_, isReturnedAgain) => {
  await book([debit()], { message: 'camt.054' });
  await undoAwaitedDebit(at.ledger, `${masterIban}:D`, operatorsDecision);
  if (isReturnedAgain) {
    await returnAgain();
    await at.sendAll();
  }
  const { alerts } = await book([debit()]);
  expect(alerts.map(({ reason }) => reason)).toEqual([expect.stringContaining('THE BANK HAS BOOKED THE DEBIT')]);
  expect([(await at.payments()).map(({ state }) => state), await claims()]).toEqual(
    isReturnedAgain ? [['returned', 'sent'], [['open', 300n]]] : [['accepted'], []],
  );
});
