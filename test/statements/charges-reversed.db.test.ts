import { describe, expect, it } from 'vitest';
import { undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { settleCredit } from '../../src/ledger/bank/unmatched/settle-credit.ts';
import { type EntrySpec, masterIban, type TransactionSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { randomHash, testPayments } from '../ledger/bank/payments-ledger.ts';
import { creditOptions, payment } from './bank-rail.ts';
import { bookings, operatorsDecision, unassigned } from './bookings.ts';

const at = testPayments();
const { book, explain, creditOf, balances } = bookings(at);

const arrival = (amount: string, { iban = at.customer.iban, ...more }: Partial<TransactionSpec> & { iban?: string } = {}): EntrySpec => ({
  amount,
  reference: 'C',
  transactions: [payment(iban, amount, more)],
});
const reversal = (amount: string, reference = 'C'): EntrySpec => ({ amount, reference, direction: 'DBIT', reversal: true });
const notify = (entry: EntrySpec) => book([entry], { message: 'camt.054' });
const charged = { charges: '0.50' };
const states = async () => {
  const credits = await at.ledger.selectFrom('credits').select(['amount', 'state']).orderBy('amount').execute();
  return credits.map(({ amount, state }) => `${amount} ${state}`);
};
const claims = async () => (await at.ledger.selectFrom('claims').selectAll().execute()).map(({ state, amount }) => `${state} ${amount}`);
const waiting = async () => {
  const debits = await at.ledger.selectFrom('bankDebits').where('state', '=', 'unexplained').select('amount').orderBy('amount').execute();
  return debits.map(({ amount }) => Number(amount));
};

describe('a credit that was notified before charges, and that the bank takes back as it has booked it', () => {
  it.each([
    ['in one statement', async () => void (await book([arrival('8.50', charged), reversal('8.50')]))],
    [
      'in two',
      async () => {
        await book([arrival('8.50', charged)]);
        await book([reversal('8.50')]);
      },
    ],
    [
      'in two, the reversal first',
      async () => {
        await book([reversal('8.50')]);
        await book([arrival('8.50', charged)]);
      },
    ],
  ])('is not issued: %s', async (_, state) => {
    await notify(arrival('9.00'));
    await state();
    expect([await states(), await waiting(), await balances()]).toEqual([['900 reversed'], [], {}]);
    expect(await at.order((await creditOf('C')).orderId as string)).toMatchObject({ state: 'rejected' });
    await book([arrival('8.50', charged), reversal('8.50')]);
    expect([await states(), await waiting(), await balances()]).toEqual([['900 reversed'], [], {}]);
  });

  it('is a claim where it was issued, with what the bank kept, until an operator undoes that', async () => {
    await notify(arrival('9.00'));
    await at.settle((await creditOf('C')).orderId as string, 'issue', randomHash());
    await book([arrival('8.50', charged), reversal('8.50')]);
    expect([await states(), await claims(), await waiting()]).toEqual([['900 matched'], ['open 900'], []]);
    await undoReversal(at.ledger, `${masterIban}:C`, operatorsDecision);
    expect([await claims(), await waiting()]).toEqual([[], [50, 850]]);
    await explain('C', { as: 'reversal-of', credits: [`${masterIban}:C`] });
    expect([await states(), await claims(), await waiting()]).toEqual([['900 matched'], ['open 900'], []]);
  });

  it('gives what an operator has paid for its charges back, and can be undone and explained anew', async () => {
    await notify(arrival('9.00'));
    await book([arrival('8.50', charged)]);
    await explain('C#kept', { as: 'fee' });
    await book([reversal('8.50')]);
    expect([await states(), await waiting(), await balances()]).toEqual([['900 reversed'], [], {}]);
    await undoReversal(at.ledger, `${masterIban}:C`, operatorsDecision);
    expect(await waiting()).toEqual([50, 850]);
    await explain('C#kept', { as: 'fee' });
    await explain('C', { as: 'reversal-of', credits: [`${masterIban}:C`] });
    expect([await states(), await waiting(), await balances()]).toEqual([['900 reversed'], [], {}]);
  });

  it('waits where nothing proves it, and is taken back whole by the command that the debit names', async () => {
    await notify(arrival('9.00'));
    await book([arrival('8.50', charged), reversal('8.50', 'D')]);
    expect([await states(), await waiting()]).toEqual([['900 matched'], [50, 850]]);
    await explain('D', { as: 'reversal-of', credits: [`${masterIban}:C`] });
    expect([await states(), await waiting(), await balances()]).toEqual([['900 reversed'], [], {}]);
  });

  it('and was returned by hand, awaits the debit over what was booked', async () => {
    // Of whom the bank names no account.
    const payer = { name: 'Jón' };
    await notify(arrival('9.00', { iban: unassigned, payer }));
    await returnCredit(at.ledger, `${masterIban}:C`);
    await book([arrival('8.50', { iban: unassigned, payer, ...charged }), { amount: '8.50', reference: 'D', direction: 'DBIT' }]);
    expect(await waiting()).toEqual([50, 850]);
    await explain('D', { as: 'return-of', credit: `${masterIban}:C` });
    expect([await states(), await waiting(), await balances()]).toEqual([['900 returned'], [], {}]);
  });
});

describe('a credit that was notified after charges, and that the bank takes back before them', () => {
  it.each(['open', 'matched', 'settled'] as const)('is taken back with its rest, which is %s', async (state) => {
    await notify(arrival('8.50', charged));
    await book([arrival('9.00')]);
    const rest = `${masterIban}:C#rest`;
    if (state === 'matched') await matchCredit(at.ledger, rest, { ...creditOptions, source: 'operator' });
    if (state === 'settled') await settleCredit(at.ledger, { as: 'own', reference: rest, ...operatorsDecision });
    await book([reversal('9.00')]);
    expect([await states(), await waiting(), await balances()]).toEqual([['50 reversed', '850 reversed'], [], {}]);
    await undoReversal(at.ledger, `${masterIban}:C`, operatorsDecision);
    expect([await states(), await waiting()]).toEqual([['50 unmatched', '850 unmatched'], [900]]);
  });
});
