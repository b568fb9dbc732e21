import { describe, expect, it } from 'vitest';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { settleCredit } from '../../src/ledger/bank/unmatched/settle-credit.ts';
import { matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { type EntrySpec, masterIban, type StatementSpec, statementXml, type TransactionSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { creditOptions, money, payment, testRail } from './bank-rail.ts';
import { operatorsDecision } from './bookings.ts';
import { permutations } from './every-order.ts';

const rail = testRail({ isShared: true });
const { iban } = rail.customer;
const settings = { settings: loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban }) };
const day = '2026-11-20';
const before: StatementSpec = { id: 'B', day: '2026-11-19', opening: '0', closing: '0' };

/** What there is: credits and debits in cents, and by how much book and bank differ. */
async function outcome() {
  const debits = await rail.ledger.selectFrom('bankDebits').select('amount').where('state', '<>', 'replaced').execute();
  const differences = (await compareBookWithBank(rail.ledger)).filter(({ difference }) => difference !== 0n);
  return {
    credits: (await money(rail.ledger)).map((text) => text.replace(/^\S+ /, '')).toSorted(),
    debits: debits.map(({ amount }) => Number(amount)),
    differences: differences.map(({ difference }) => difference),
  };
}

/** What there is after files, in this order: with the balances of statements, or twice without. */
async function end(files: readonly StatementSpec[], way: Way) {
  await rail.empty();
  const hasBalances = way === 'with balances';
  for (const file of hasBalances ? [before, ...files] : [...files, ...files]) await importIn(file, way);
  return outcome();
}
const ways = ['with balances', 'twice, without balances'] as const;
type Way = (typeof ways)[number];

async function importIn(file: StatementSpec, way: Way) {
  const text = statementXml(file);
  await rail.import(way === 'with balances' ? text : text.replaceAll(/<Bal>.*?<\/Bal>/g, ''), settings);
}

const notified = (...entries: EntrySpec[]): StatementSpec => ({ id: 'N', message: 'camt.054', entries });
const stated = (closing: string, ...entries: EntrySpec[]): StatementSpec => ({ id: 'S', day, opening: '0', closing, entries });
const numbered = (number: string | undefined) => (number === undefined ? {} : { reference: number });

describe.each([
  ['one number and EndToEndId', 'A', 'A', 'RENT'],
  ['one number', 'A', 'A', undefined],
  ['numbers of their own', 'N1', 'S1', 'RENT'],
  ['no numbers', undefined, undefined, 'RENT'],
  ['nothing', undefined, undefined, undefined],
])('a payment over 100.00 before and 99.50 after charges, with %s', (_, inNotification, inStatement, endToEndId) => {
  const entry = (amount: string, number: string | undefined, ofEntry: EntrySpec = {}, ofTransaction: Partial<TransactionSpec> = {}) => ({
    amount,
    bookedOn: day,
    ...numbered(number),
    ...ofEntry,
    transactions: [payment(iban, amount, { ...(endToEndId !== undefined && { refs: { EndToEndId: endToEndId } }), ...ofTransaction })],
  });

  const net: [string, '02' | '08', EntrySpec, Partial<TransactionSpec>][] = [
    ['charges, and the transaction before them', '02', {}, { amount: '100.00', charges: '0.50' }],
    ['charges, and the transaction after them', '08', {}, { amount: '99.50', charges: '0.50' }],
    ['charges of the entry', '02', { charges: '0.50' }, {}],
    ['the instructed amount', '02', {}, { instructed: '100.00' }],
    ['the instructed amount', '08', {}, { instructed: '100.00' }],
  ];

  it.each(net)('is one credit, notified before them: the statement names %s, version %s', async (__, version, ...after) => {
    const files = [
      { ...notified(entry('100.00', inNotification)), version },
      { ...stated('99.50', entry('99.50', inStatement, ...after)), version },
    ];
    for (const way of ways) {
      expect(await end(files, way)).toEqual({ credits: ['10000 matched'], debits: [50], differences: [] });
      expect(await end(files.toReversed(), way)).toEqual({ credits: ['9950 matched'], debits: [], differences: [] });
    }
  });

  it.each(net)('is one credit, stated before them: the notification names %s, version %s', async (__, version, ...after) => {
    const files = [
      { ...notified(entry('99.50', inNotification, ...after)), version },
      { ...stated('100.00', entry('100.00', inStatement)), version },
    ];
    for (const way of ways) {
      expect(await end(files, way)).toEqual({ credits: ['50 unmatched', '9950 matched'], debits: [], differences: [] });
      expect(await end(files.toReversed(), way)).toEqual({ credits: ['10000 matched'], debits: [], differences: [] });
    }
  });
});

/** How a message reports a collective credit over 10.00 and 20.00, of which the bank keeps 0.50. */
function shapes(isNamed: boolean): Record<string, EntrySpec> {
  const transactions = ['10.00', '20.00'].map((amount) => payment(iban, amount, isNamed ? { refs: { EndToEndId: amount } } : {}));
  return {
    'gross list': { amount: '30.00', transactions },
    'gross list with charges': { amount: '30.00', charges: '0.50', transactions },
    'gross sum': { amount: '30.00' },
    'gross sum with charges': { amount: '30.00', charges: '0.50' },
    'net list': { amount: '29.50', transactions },
    'net list with charges': { amount: '29.50', charges: '0.50', transactions },
    'net sum': { amount: '29.50' },
    'net sum with charges': { amount: '29.50', charges: '0.50' },
  };
}
const names = Object.keys(shapes(true));
/** Pairs of which one has a list that adds up, and one names the charges. */
const pairs = names.flatMap((notification) =>
  names.flatMap((statement) => {
    const both = [notification, statement];
    const isListed = both.some((name) => name.includes('list') && name !== 'net list');
    return isListed && both.some((name) => name.includes('charges')) ? [[notification, statement] as const] : [];
  }),
);

describe.each([
  ['one number', 'A', 'A', true],
  ['nothing', undefined, undefined, false],
])('a collective credit of which the bank keeps charges, with %s', (_, inNotification, inStatement, isNamed) => {
  const listing = (name: string, number: string | undefined) => ({
    bookedOn: day,
    batch: '2',
    ...numbered(number),
    ...shapes(isNamed)[name],
  });

  it.each(pairs)('gives each customer what was paid: notified as %s, stated as %s', async (notification, statement) => {
    const listed: EntrySpec = listing(statement, inStatement);
    const files = [notified(listing(notification, inNotification)), stated(listed.amount ?? '', listed)];
    const isKept = statement.startsWith('net') || notification === 'net list with charges';
    for (const way of ways)
      for (const order of [files, files.toReversed()])
        expect
          .soft(await end(order, way))
          .toEqual({ credits: ['1000 matched', '2000 matched'], debits: isKept ? [50] : [], differences: [] });
  });
});

describe('what the bank keeps of money that was issued', () => {
  const gross = { amount: '100.00', bookedOn: day, reference: 'A', transactions: [payment(iban, '100.00')] };
  const net = { ...gross, amount: '99.50', transactions: [payment(iban, '100.00', { charges: '0.50' })] };
  const kept = `${masterIban}:A#kept`;

  it.each([
    ['a fee', { as: 'fee' }],
    ['a claim on who got it', { as: 'reversal-of', credits: [`${masterIban}:A`] }],
  ] as const)('waits for an operator, who says that it is %s', async (_, explanation) => {
    await end([notified(gross), stated('99.50', net)], 'with balances');
    await explainDebit(rail.ledger, kept, { explanation, ...operatorsDecision });
    const again = { ...stated('99.50', net), id: 'S2' };
    await rail.import(again, settings);
    expect(await outcome()).toEqual({ credits: ['10000 matched'], debits: [50], differences: [] });
  });

  it('is undone when the statement turns out to list other money', async () => {
    const files = [notified({ ...gross, reference: 'N' }), stated('99.50', net)];
    const other = {
      id: 'S2',
      day: '2026-11-21',
      opening: '99.50',
      closing: '199.50',
      entries: [{ ...gross, reference: 'C', bookedOn: '2026-11-21' }],
    };
    for (const order of [
      [...files, other],
      [files[1], other, files[0]],
      [other, ...files],
    ] as StatementSpec[][])
      expect.soft(await end(order, 'with balances')).toEqual({ credits: ['10000 matched', '9950 matched'], debits: [], differences: [] });
  });

  it('is the rest of a credit where it is stated before charges, which the customer may get', async () => {
    await end([notified(net), stated('100.00', gross)], 'with balances');
    await matchCredit(rail.ledger, `${masterIban}:A#rest`, { ...creditOptions, source: 'operator' });
    await rail.import({ ...stated('100.00', gross), id: 'S2' }, settings);
    expect(await outcome()).toEqual({ credits: ['50 matched', '9950 matched'], debits: [], differences: [] });
  });

  it('is nothing that could be found where no message names it: what contradicts waits', async () => {
    const files = [notified(gross), stated('99.50', { ...gross, amount: '99.50', transactions: [payment(iban, '99.50')] })];
    expect((await end(files, 'with balances')).credits).toEqual(['10000 matched', '9950 unmatched']);
    expect((await end(files.toReversed(), 'with balances')).credits).toEqual(['10000 unmatched', '9950 matched']);
  });
});

describe.each([
  ['numbers of their own, on the day', true, day, '2026-11-21'],
  ['numbers of their own, a day later', true, '2026-11-21', '2026-11-22'],
  ['no numbers, on the day', false, day, '2026-11-21'],
  ['no numbers, a day later', false, '2026-11-21', '2026-11-22'],
])('what the bank booked more than was issued, stated with %s', (_, isNumbered, statedOn, statedNext) => {
  const entryOf = (reference: string, bookedOn: string, amount: string, charges?: string): EntrySpec => ({
    amount,
    bookedOn,
    ...(isNumbered && { reference }),
    transactions: [payment(iban, amount, charges === undefined ? {} : { charges })],
  });
  const files = {
    N1: notified(entryOf('N1', day, '99.50', '0.50')),
    S1: { ...stated('100.00', entryOf('S1', statedOn, '100.00')), day: statedOn },
    N2: { ...notified(entryOf('N2', '2026-11-21', '99.50', '0.50')), id: 'N2' },
    S2: { id: 'S2', day: statedNext, opening: '100.00', closing: '200.00', entries: [entryOf('S2', statedNext, '100.00')] },
  };

  it.each(['matched', 'settled'] as const)('hides no payment of the next day once an operator has decided: it is %s', async (ended) => {
    for (const way of ways)
      for (const order of [
        ['S2', 'N2'],
        ['N2', 'S2'],
      ] as const) {
        await end([files.N1, files.S1], way);
        const found = await rail.ledger.selectFrom('credits').where('state', '=', 'unmatched').select('reference').executeTakeFirst();
        const reference = found?.reference ?? '';
        if (ended === 'matched') await matchCredit(rail.ledger, reference, { ...creditOptions, source: 'operator' });
        else await settleCredit(rail.ledger, { as: 'own', reference, ...operatorsDecision });
        for (const name of order) await importIn(files[name], way);
        // Without numbers the second notification may be of the first payment, and waits for the statement; and of its own day it is what that has listed.
        const next = order[0] === 'N2' && isNumbered && statedOn === day ? ['50 unmatched', '9950 matched'] : ['10000 matched'];
        const credits = [`50 ${ended}`, '9950 matched', ...next].toSorted();
        expect.soft(await outcome(), `${way}, ${order.join(', ')}`).toEqual({ credits, debits: [], differences: [] });
      }
  });
});

describe('what the bank kept, explained too early', () => {
  const nextDay = '2026-11-21';
  const gross = (reference: string, bookedOn: string): EntrySpec => ({
    amount: '100.00',
    bookedOn,
    reference,
    transactions: [payment(iban, '100.00')],
  });
  const net: EntrySpec = { amount: '99.50', bookedOn: day, reference: 'S1', transactions: [payment(iban, '100.00', { charges: '0.50' })] };
  const files = [notified(gross('N', nextDay)), stated('99.50', net)];
  const later = { id: 'S2', day: nextDay, opening: '99.50', closing: '199.50', entries: [gross('S2', nextDay)] };

  it.each(ways)('is a rest when a statement lists what was notified as other money: %s', async (way) => {
    await end(files, way);
    await explainDebit(rail.ledger, `${masterIban}:N#kept`, { explanation: { as: 'fee' }, ...operatorsDecision });
    await importIn(later, way);
    expect(await outcome()).toEqual({ credits: ['10000 matched', '50 unmatched', '9950 matched'], debits: [50], differences: [] });
    await settleCredit(rail.ledger, { as: 'own', reference: `${masterIban}:N#rest`, ...operatorsDecision });
    await importIn({ ...later, id: 'S3' }, way);
    expect(await outcome()).toEqual({ credits: ['10000 matched', '50 settled', '9950 matched'], debits: [50], differences: [] });
  });
});

it.each(['RENT', 'GAS', 'FOOD'])(
  'two payments of a batch, one of them after charges over as much as the other, are two in every order: %s',
  async (text) => {
    const rent = (amount: string, charges?: string) =>
      payment(iban, amount, { refs: { EndToEndId: text }, ...(charges !== undefined && { charges }) });
    const entry = { bookedOn: day, reference: 'S' };
    const list = { ...entry, amount: '19.50', transactions: [rent('10.00'), rent('9.50')] };
    const files: StatementSpec[] = [
      notified({ amount: '19.00', bookedOn: day, transactions: [rent('9.50', '0.50'), rent('9.50')] }),
      { ...stated('19.50', list), id: 'S1' },
      { ...stated('19.50', { ...entry, amount: '19.50', batch: '2' }), id: 'S2' },
    ];
    for (const order of permutations(files)) {
      const { credits, differences } = await end(order, 'with balances');
      const isNotifiedFirst = order.indexOf(files[0] as StatementSpec) < order.indexOf(files[1] as StatementSpec);
      expect.soft(credits).toEqual(isNotifiedFirst ? ['50 unmatched', '950 matched', '950 matched'] : ['1000 matched', '950 matched']);
      expect.soft(differences).toEqual([]);
    }
  },
);

it('what a statement lists after charges, and contradicts what was issued before them, is repeated where an operator says so', async () => {
  const UETR = '3f2d8b1a-6c47-4e0b-9d51-7a2e4c8f9b10';
  const refs = (EndToEndId: string) => ({ refs: { UETR, EndToEndId } });
  const files = [
    notified({ amount: '100.00', bookedOn: day, reference: 'N', transactions: [payment(iban, '100.00', refs('RENT'))] }),
    stated('99.50', {
      amount: '99.50',
      bookedOn: day,
      reference: 'S',
      transactions: [payment(iban, '100.00', { ...refs('GAS'), charges: '0.50' })],
    }),
  ];
  expect(await end(files, 'with balances')).toMatchObject({ credits: ['10000 matched', '9950 unmatched'] });
  await repeatCredit(rail.ledger, `${masterIban}:S`);
  const repeated = { credits: ['10000 matched'], debits: [50], differences: [] };
  expect(await outcome()).toEqual(repeated);
  await rail.import({ ...(files[1] as StatementSpec), id: 'S2' }, settings);
  expect(await outcome()).toEqual(repeated);
});
