import { describe, expect, test } from 'vitest';
import { outcomes, read, readSpec, references } from './reading.ts';
import { masterIban, payerIban, statementXml, versions, virtualIban } from './statement-xml.ts';
import type { EntrySpec, StatementSpec, TransactionSpec } from './statement-xml.ts';

const referencesOf = async (spec: StatementSpec) => references(await readSpec(spec));
const payment: TransactionSpec = { payer: { name: 'Ada', iban: payerIban }, ustrd: ['rent'] };
const plain: EntrySpec = { transactions: [payment] };

describe.each(versions)('version %s', (version) => {
  test.each<[string, EntrySpec, string[]]>([
    ['of the transaction', { reference: 'E', transactions: [{ refs: { AcctSvcrRef: 'T' } }] }, ['T']],
    ['the transaction id of the bank', { transactions: [{ refs: { AcctSvcrRef: 'NONREF', AcctSvcrTxId: 'T' } }] }, ['T']],
    ['in Greek letters', { reference: 'ΑΒΓ' }, ['ΑΒΓ']],
    ['of the entry', { reference: 'E', ...plain }, ['E']],
    ['of an entry without details', { reference: 'E' }, ['E']],
    ['of the entry, with the index', { reference: 'E', transactions: [{ amount: '60' }, { amount: '40' }] }, ['E#tx1', 'E#tx2']],
    [
      'of the entry, repeated at each transaction',
      { reference: 'E', transactions: ['60', '40'].map((amount) => ({ amount, refs: { AcctSvcrRef: 'E' } })) },
      ['E#tx1', 'E#tx2'],
    ],
    ['one for all transactions', { transactions: ['60', '40'].map((amount) => ({ amount, refs: { AcctSvcrRef: 'T' } })) }, ['T', 'T#2']],
    ['with characters that structure references', { reference: 'a:b#2' }, ['a%3Ab%232']],
  ])('the reference is %s', async (_name, entry, expected) => {
    expect(await referencesOf({ version, entries: [entry] })).toEqual(expected.map((text) => `${masterIban}:${text}`));
  });

  test.each<[string, EntrySpec[]]>([
    ['with the reference of the bank', [{ reference: 'E', ...plain }]],
    ['with none', [plain]],
    ['with none, among others of the day', [plain, { amount: '7' }, plain]],
    [
      'in a batch',
      [
        {
          transactions: [
            { ...payment, amount: '60' },
            { ...payment, amount: '40' },
          ],
        },
      ],
    ],
    ['in an unsupported currency', [{ currency: 'CHF' }]],
    ['with a wrong sum', [{ transactions: [{ amount: '99' }] }]],
  ])('money %s has one reference in notification and statement', async (_name, entries) => {
    const notified = await referencesOf({ version, message: 'camt.054', id: 'N1', entries });
    const stated = await referencesOf({ version, message: 'camt.053', id: 'S9', entries: [{ amount: '1' }, ...entries, { amount: '2' }] });
    expect(stated.slice(1, -1)).toEqual(notified);
    expect(new Set(notified).size).toBe(notified.length);
  });
});

test('both versions give the same references', async () => {
  const entries = [plain, plain, { reference: 'E' }, { reference: 'E' }, { transactions: [{ structured: 'R1' }] }];
  expect(await referencesOf({ version: '02', entries })).toEqual(await referencesOf({ version: '08', entries }));
});

test('the same file twice gives the same references', async () => {
  const entries = [plain, plain, { reference: 'E' }, { reference: 'E' }];
  const first = await referencesOf({ entries });
  expect(await referencesOf({ entries })).toEqual(first);
});

test('two payments with equal facts stay two', async () => {
  const found = await referencesOf({ entries: [plain, { amount: '5' }, plain, plain] });
  expect(new Set(found).size).toBe(4);
  // Counted among equals: the entry between them changes nothing.
  expect((await referencesOf({ entries: [plain, plain, plain] }))[2]).toBe(found[3]);
});

test('two entries with one reference of the bank stay two', async () => {
  expect(await referencesOf({ entries: [{ reference: 'E' }, { reference: 'E' }] })).toEqual([`${masterIban}:E`, `${masterIban}:E#2`]);
});

test('an entry and a transaction elsewhere with one reference stay two', async () => {
  const entries = [{ reference: 'E' }, { reference: 'E' }, { transactions: [{ refs: { AcctSvcrRef: 'E' } }] }];
  expect(new Set(await referencesOf({ entries })).size).toBe(3);
});

test.each(['NOTPROVIDED', 'NONREF', '0000000000', '-', 'N/A'])('%s is no reference of the bank', async (reference) => {
  expect(await referencesOf({ entries: [{ reference, ...plain }] })).toEqual(await referencesOf({ entries: [plain] }));
});

test.each<[string, EntrySpec]>([
  ['day', { ...plain, bookedOn: '2026-11-19' }],
  ['amount', { ...plain, amount: '100.01' }],
  ['currency', { ...plain, currency: 'USD' }],
  ['payer', { transactions: [{ ...payment, payer: { name: 'Bob' } }] }],
  ['creditor account', { transactions: [{ ...payment, creditorIban: virtualIban }] }],
  ['end-to-end id', { transactions: [{ ...payment, refs: { EndToEndId: 'E2E-9' } }] }],
  ['remittance', { transactions: [{ ...payment, ustrd: ['food'] }] }],
])('without a reference of the bank, another %s is another payment', async (_name, other) => {
  expect(await referencesOf({ entries: [other] })).not.toEqual(await referencesOf({ entries: [plain] }));
});

test('line breaks in the remittance make no other payment', async () => {
  const broken = { transactions: [{ ...payment, ustrd: ['re', 'nt'] }] };
  expect(await referencesOf({ entries: [broken] })).toEqual(await referencesOf({ entries: [plain] }));
});

test('the amount makes the same payment however many zeros it has', async () => {
  expect(await referencesOf({ entries: [{ amount: '100' }] })).toEqual(await referencesOf({ entries: [{ amount: '100.000' }] }));
});

test('a time of booking counts as its day', async () => {
  const timed = statementXml({ entries: [plain] }).replace('<Dt>2026-11-20</Dt></BookgDt>', '<DtTm>2026-11-20T23:30:00Z</DtTm></BookgDt>');
  expect(timed).toContain('<DtTm>');
  expect(references(await read(timed))).toEqual(await referencesOf({ entries: [plain] }));
});

test('one number at two accounts is two references', async () => {
  const account = `<Id><IBAN>${virtualIban}</IBAN></Id>`;
  expect(await referencesOf({ account, entries: [{ reference: 'E' }] })).toEqual([`${virtualIban}:E`]);
});

test('an account given as another identification scopes as its IBAN does', async () => {
  const account = `<Id><Othr><Id>${masterIban}</Id></Othr></Id>`;
  expect(await referencesOf({ account, entries: [plain] })).toEqual(await referencesOf({ entries: [plain] }));
});

const statement = (page: number) => statementXml({ entries: [plain], page: { number: page, last: page === 2 } });

const both = async (first: number, second: number) => {
  const next = /<Stmt>.*<\/Stmt>/s.exec(statement(second))?.[0] ?? '';
  return references(await read(statement(first).replace('</BkToCstmrStmt>', `${next}</BkToCstmrStmt>`)));
};

describe('several statements in one file', () => {
  test('equal payments on two pages are two', async () => {
    expect(new Set(await both(1, 2)).size).toBe(2);
  });

  test('the same page twice is a repetition', async () => {
    const found = await both(2, 2);
    expect(found).toHaveLength(2);
    expect(new Set(found).size).toBe(1);
  });
});

test('a batch told once as a sum and once in detail is linked by the reference of its entry', async () => {
  const sum = await readSpec({ entries: [{ reference: 'E', batch: '2' }] });
  const transactions = ['60', '40'].map((amount, index) => ({ amount, refs: { AcctSvcrRef: `T${index}` } }));
  const detail = await readSpec({ message: 'camt.054', entries: [{ reference: 'E', transactions }] });
  expect(outcomes(sum)).toEqual(['batch_without_details']);
  expect(references(sum)).toEqual([`${masterIban}:E`]);
  expect(detail.map(({ entry }) => entry.reference)).toEqual([`${masterIban}:E`, `${masterIban}:E`]);
});
