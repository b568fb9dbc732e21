import { describe, expect, it } from 'vitest';
import { undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import type { Explanation } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { matchAgain, matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { type EntrySpec, masterIban, type StatementSpec, type TransactionSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { creditOptions, payment, testRail } from './bank-rail.ts';
import { operatorsDecision } from './bookings.ts';

const rail = testRail();
const { iban } = rail.customer;
const settings = { settings: loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban }) };
const day = '2026-11-20';

async function importAll(...files: StatementSpec[]) {
  for (const file of [{ id: 'B', day: '2026-11-19', opening: '0', closing: '0' }, ...files]) await importOne(file);
}
const importOne = (file: StatementSpec) => rail.import(file, settings);

const texts = (money: { amount: bigint | null; state: string }[]) => money.map(({ amount, state }) => `${amount} ${state}`).toSorted();

/** Credits and debits that count, in cents with their state, and by how much book and bank differ. */
async function outcome() {
  const [credits, debits] = await Promise.all([
    rail.ledger.selectFrom('credits').select(['amount', 'state']).where('state', 'not in', ['replaced', 'repeated']).execute(),
    rail.ledger.selectFrom('bankDebits').select(['amount', 'state']).where('state', '<>', 'replaced').execute(),
  ]);
  const differences = (await compareBookWithBank(rail.ledger)).filter(({ difference }) => difference !== 0n);
  return { credits: texts(credits), debits: texts(debits), differences: differences.map(({ difference }) => difference) };
}

const notified = (id: string, ...entries: EntrySpec[]): StatementSpec => ({ id, message: 'camt.054', entries });
const stated = (closing: string, ...entries: EntrySpec[]): StatementSpec => ({ id: 'S', day, opening: '0', closing, entries });
const entry = (amount: string, reference: string | undefined, more: Partial<TransactionSpec> = {}, to = iban): EntrySpec => ({
  amount,
  bookedOn: day,
  ...(reference !== undefined && { reference }),
  transactions: [payment(to, amount, more)],
});
const net = (reference: string | undefined, more: Partial<TransactionSpec> = {}, to = iban) =>
  entry('99.50', reference, { amount: '100.00', charges: '0.50', ...more }, to);
const reversal = (amount: string, reference: string): EntrySpec => ({
  amount,
  bookedOn: day,
  reference,
  direction: 'DBIT',
  reversal: true,
});
const batch = { bookedOn: day, reference: 'A', batch: '2' };
const listed = { transactions: ['10.00', '20.00'].map((amount) => payment(iban, amount)) };

const named = (reference: string) => `${masterIban}:${reference}`;
const options = { ...creditOptions, source: 'operator' };
const match = (reference: string) => matchCredit(rail.ledger, named(reference), options);
const again = (reference: string) => matchAgain(rail.ledger, { reference: named(reference), iban, reason: 'the bank says so' }, options);
const explain = (reference: string, explanation: Explanation) =>
  explainDebit(rail.ledger, named(reference), { explanation, ...operatorsDecision });
const undo = (reference: string) => undoReversal(rail.ledger, named(reference), operatorsDecision);

describe('what the bank kept of a credit, or booked more', () => {
  it('of a batch stays when another notification repeats one of its payments', async () => {
    await importAll(
      notified('N', { ...batch, ...listed, amount: '30.00' }),
      stated('29.50', { ...batch, amount: '29.50', charges: '0.50' }),
    );
    await importOne(notified('N2', entry('10.00', undefined)));
    const repeat = await rail.ledger.selectFrom('credits').where('state', '=', 'unmatched').select('reference').executeTakeFirstOrThrow();
    await repeatCredit(rail.ledger, repeat.reference);
    expect(await outcome()).toEqual({ credits: ['1000 matched', '2000 matched'], debits: ['50 unexplained'], differences: [] });
  });

  it('ends when an operator says that what a statement lists is other money', async () => {
    await importAll(notified('N', net('N')), stated('100.00', entry('100.00', 'S')));
    await again('S');
    expect(await outcome()).toMatchObject({ credits: ['10000 matched', '9950 matched'] });
    await expect(match('N#rest')).rejects.toThrow();
    await rail.empty();
    await importAll(notified('N', entry('100.00', 'N')), stated('99.50', net('S')));
    await again('S');
    expect(await outcome()).toMatchObject({ credits: ['10000 matched', '9950 matched'], debits: [] });
  });

  it('ends with a credit that an operator says to be another', async () => {
    await importAll(notified('N', net('C')), stated('0', entry('100.00', 'C'), reversal('100.00', 'C')));
    await undo('C');
    await importOne(notified('N2', { ...entry('99.50', 'D'), bookedOn: '2026-11-21' }));
    await repeatCredit(rail.ledger, named('C'), [named('D')]);
    expect(await outcome()).toEqual({ credits: ['50 unmatched', '9950 matched'], debits: ['10000 unexplained'], differences: [] });
  });

  it('is no money of the customer where it undoes a fee that was explained too early', async () => {
    const nextDay = '2026-11-21';
    await importAll(notified('N', { ...entry('100.00', 'N'), bookedOn: nextDay }), stated('99.50', net('S')));
    await explain('N#kept', { as: 'fee' });
    const entries = [{ ...entry('100.00', 'S2'), bookedOn: nextDay }];
    await importOne({ id: 'S2', day: nextDay, opening: '99.50', closing: '199.50', entries });
    expect((await outcome()).credits).toEqual(['10000 matched', '50 unmatched', '9950 matched']);
    await expect(match('N#rest')).rejects.toThrow();
  });

  it.each([
    ['sum', {}],
    ['list', listed],
  ])('of a sum that an operator has matched is known, stated as %s', async (_, more) => {
    await importAll(notified('N', { ...batch, amount: '29.50', charges: '0.50' }));
    await again('A');
    await importOne(stated('30.00', { ...batch, ...more, amount: '30.00', charges: '0.50' }));
    expect(await outcome()).toEqual({ credits: ['2950 matched', '50 unmatched'], debits: [], differences: [] });
  });
});

describe('a sum', () => {
  it('that an operator has matched is not awaited once a statement lists its transactions', async () => {
    await importAll(notified('N', { ...batch, amount: '30.00' }));
    await again('A');
    await importOne(stated('30.00', { ...batch, ...listed, amount: '30.00' }));
    const credit = await rail.ledger.selectFrom('credits').where('state', '=', 'matched').select('isAwaited').executeTakeFirstOrThrow();
    expect(credit).toEqual({ isAwaited: false });
  });

  it.each(['CRDT', 'DBIT'])('that a statement lists does not list a notified transaction over more, which waits: %s', async (direction) => {
    const [sign, transaction] = direction === 'DBIT' ? ['-', { amount: '100.50' }] : ['', payment(iban, '100.50')];
    await importAll(
      stated(`${sign}100.00`, { amount: '100.00', bookedOn: day, reference: 'A', direction }),
      notified('N', { amount: '100.50', bookedOn: day, reference: 'A', direction, transactions: [transaction] }),
    );
    expect((await outcome()).differences).toEqual([]);
  });
});
