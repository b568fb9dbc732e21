import { describe, expect, it } from 'vitest';
import { masterIban, type EntrySpec, type StatementSpec, type TransactionSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { money, payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;

const uetr = '3f2d8b1a-6c47-4e0b-9d51-7a2e4c8f9b10';
const otherUetr = '9a4c1e77-02bd-4f7e-8c1d-5b6a7f8e9d01';
let files = 0;

interface Report {
  message?: 'camt.053' | 'camt.054';
  /** The bank's reference; none without. */
  reference?: string;
  refs?: Record<string, string>;
  amount?: string;
  transaction?: Partial<TransactionSpec>;
  entry?: Partial<EntrySpec>;
}

const entryOf = ({ reference, refs = {}, amount = '10.00', transaction = {}, entry = {} }: Report): EntrySpec => ({
  amount,
  ...(reference !== undefined && { reference }),
  transactions: [payment(iban, amount, { refs, ...transaction })],
  ...entry,
});

/** A file with one entry, or several in one statement. */
const file = (...reports: Report[]): StatementSpec => {
  files += 1;
  return { id: `F${files}`, message: reports[0]?.message ?? 'camt.054', entries: reports.map(entryOf) };
};

const notified = (more: Report = {}): Report => ({ message: 'camt.054', ...more });
const stated = (more: Report = {}): Report => ({ message: 'camt.053', reference: 'S', ...more });

/** What is issued and what waits, and the reasons. */
async function outcome() {
  const rows = await rail.ledger.selectFrom('credits').select(['state', 'amount', 'railReason']).execute();
  const sum = (state: string) => rows.filter((row) => row.state === state).reduce((all, { amount }) => all + Number(amount ?? 0n), 0);
  const reasons = rows.flatMap((row) => (row.state === 'unmatched' ? (row.railReason ?? 'none') : []));
  return { issued: sum('matched'), held: sum('unmatched'), reasons };
}

const once = { issued: 1000, held: 0, reasons: [] };
const suspected = { issued: 1000, held: 1000, reasons: ['suspected_repeat'] };
const twice = { issued: 2000, held: 0, reasons: [] };

const both = { refs: { EndToEndId: 'RENT', UETR: uetr } };
const endToEnd = { refs: { EndToEndId: 'RENT' } };
const nobodysAccount = { transaction: { payer: { name: 'Jón Jónsson' } } };

const cases: [string, Report, Report, object][] = [
  ['a UETR, notified without a reference and stated with one', notified(both), stated(both), once],
  [
    'a UETR, notified with and without a reference',
    notified({ reference: 'N', ...both }),
    notified({ ...both, transaction: { info: 'x', ustrd: ['y'] } }),
    once,
  ],
  ['a UETR, notified and stated under other references', notified({ reference: 'N', ...both }), stated(both), once],
  ['a UETR, booked after the weekend', notified({ reference: 'N', ...both }), stated({ ...both, entry: { bookedOn: '2026-11-23' } }), once],
  ['a UETR, and in capitals', notified({ reference: 'N', ...both }), stated({ refs: { UETR: uetr.toUpperCase() } }), once],
  [
    'a UETR, booked a month later',
    notified({ reference: 'N', ...both }),
    stated({ ...both, entry: { bookedOn: '2026-12-20' } }),
    suspected,
  ],
  ['a UETR, under two references of statements', stated(both), stated({ ...both, reference: 'S2' }), suspected],
  ['a UETR, and not the EndToEndId', notified(both), stated({ refs: { EndToEndId: 'GAS', UETR: uetr } }), suspected],
  ['a UETR, and not the payer', notified(both), stated({ ...both, transaction: { payer: { iban: 'DE89370400440532013000' } } }), suspected],
  ['an EndToEndId, notified and stated', notified({ ...endToEnd, reference: 'N' }), stated(endToEnd), once],
  [
    'an EndToEndId, and no creditor in the statement',
    notified({ ...endToEnd, reference: 'N' }),
    stated({ ...endToEnd, transaction: { creditorIban: '' } }),
    once,
  ],
  [
    'an EndToEndId, and no creditor in the notification',
    notified({ ...endToEnd, reference: 'N', transaction: { creditorIban: '' } }),
    stated(endToEnd),
    once,
  ],
  ['an EndToEndId, under two references of statements', stated(endToEnd), stated({ ...endToEnd, reference: 'S2' }), twice],
  [
    'an EndToEndId and a name',
    notified({ ...endToEnd, reference: 'N', ...nobodysAccount }),
    stated({ ...endToEnd, ...nobodysAccount }),
    once,
  ],
  [
    'an EndToEndId, and the account of the payer once',
    notified({ ...endToEnd, reference: 'N', ...nobodysAccount }),
    stated(endToEnd),
    once,
  ],
  [
    'an EndToEndId, and the payer once',
    notified({ ...endToEnd, reference: 'N' }),
    stated({ ...endToEnd, transaction: { payer: {} } }),
    once,
  ],
  ['an EndToEndId, and a UETR once', notified({ ...endToEnd, reference: 'N' }), stated(both), once],
  [
    'an EndToEndId, and another UETR',
    notified({ ...both, reference: 'N' }),
    stated({ refs: { EndToEndId: 'RENT', UETR: otherUetr } }),
    twice,
  ],
  [
    'an EndToEndId, on another day',
    notified({ ...endToEnd, reference: 'N' }),
    stated({ ...endToEnd, entry: { bookedOn: '2026-12-20' } }),
    twice,
  ],
  [
    'an EndToEndId, of another payer',
    notified({ ...endToEnd, reference: 'N' }),
    stated({ ...endToEnd, transaction: { payer: { name: 'Jón Jónsson', iban: 'DE89370400440532013000' } } }),
    twice,
  ],
  [
    'an EndToEndId, of another name',
    stated({ ...endToEnd, ...nobodysAccount }),
    stated({ ...endToEnd, reference: 'S2', transaction: { payer: { name: 'Anna' } } }),
    twice,
  ],
  ['an EndToEndId of zeros', stated({ refs: { EndToEndId: '0000' } }), stated({ refs: { EndToEndId: '0000' }, reference: 'S2' }), twice],
  ['NOTPROVIDED', stated({ refs: { EndToEndId: 'NOTPROVIDED' } }), stated({ refs: { EndToEndId: 'NOTPROVIDED' }, reference: 'S2' }), twice],
  [
    'a UETR of zeros',
    stated({ refs: { UETR: '00000000-0000-4000-8000-000000000000' } }),
    stated({ refs: { UETR: '00000000-0000-4000-8000-000000000000' }, reference: 'S2' }),
    twice,
  ],
];

describe('money under two references that share', () => {
  it.each(cases)('%s', async (_, first, second, expected) => {
    await rail.import(file(first));
    await rail.import(file(second));
    expect(await outcome()).toEqual(expected);
    // Imported again, in files of their own, nothing changes.
    await rail.import(file(second));
    await rail.import(file(first));
    expect(await outcome()).toEqual(expected);
    await rail.empty();
    await rail.import(file(second));
    await rail.import(file(first));
    expect(await outcome()).toEqual(expected);
  });

  it('a UETR, and not the IBAN', async () => {
    await rail.import(file(notified({ ...both, reference: 'N' })));
    await rail.import(file(stated({ ...both, transaction: { creditorIban: 'NL56AGDH9619008421' } })));
    expect(await outcome()).toEqual(suspected);
  });

  it('an EndToEndId, as two transactions of one entry', async () => {
    const transactions = ['T1', 'T2'].map((number) => payment(iban, '10.00', { refs: { AcctSvcrRef: number, EndToEndId: 'RENT' } }));
    await rail.import(file(stated({ entry: { amount: '20.00', transactions } })));
    expect(await outcome()).toEqual(twice);
    await rail.empty();
    const { reference: _, ...nameless } = entryOf(stated({ entry: { amount: '20.00', transactions } }));
    await rail.import({ ...file(stated()), entries: [nameless] });
    expect(await outcome()).toEqual(twice);
  });

  it('a UETR, as two transactions of one entry', async () => {
    const transactions = ['T1', 'T2'].map((number) => payment(iban, '10.00', { refs: { AcctSvcrRef: number, ...both.refs } }));
    await rail.import(file(stated({ entry: { amount: '20.00', transactions } })));
    expect(await outcome()).toEqual(suspected);
  });

  it('an EndToEndId, after a report without creditor: the statement lists both', async () => {
    const anonymous = notified({ ...endToEnd, reference: 'N1', transaction: { creditorIban: '' } });
    await rail.import(file(anonymous));
    await rail.import(file(notified({ ...endToEnd, reference: 'N2' })));
    expect(await outcome()).toEqual({ issued: 1000, held: 1000, reasons: ['none'] });
    await rail.import(file(stated({ ...endToEnd, reference: 'S1' })));
    await rail.import(file(stated({ ...endToEnd, reference: 'S2' })));
    expect(await outcome()).toEqual(twice);
  });

  it('an EndToEndId with a sum that lists one of its transactions, and with what is issued', async () => {
    const transactions = [payment(iban, '10.00', endToEnd)];
    const partial = notified({ reference: 'N1', amount: '20.00', entry: { batch: '2', transactions } });
    await rail.import(file(partial, notified({ ...endToEnd, reference: 'N2', amount: '20.00' })));
    await rail.import(file(stated({ ...endToEnd, reference: 'S', amount: '20.00' })));
    expect(await outcome()).toMatchObject({ issued: 2000 });
  });

  it('a UETR, in one file', async () => {
    await rail.import(file(stated(both), stated({ ...both, reference: 'S2' })));
    expect(await outcome()).toEqual(suspected);
  });
});

describe('two payments with the same UETR', () => {
  it('are both known, each in notification and statement, and one waits', async () => {
    await rail.import(file(notified({ ...both, reference: 'N1' }), notified({ ...both, reference: 'N2' })));
    expect(await outcome()).toEqual(suspected);
    await rail.import(file(stated({ ...both, reference: 'S1' }), stated({ ...both, reference: 'S2' })));
    expect(await outcome()).toEqual(suspected);
    await rail.import(file(stated({ ...both, reference: 'S3' })));
    expect((await outcome()).held).toBe(2000);
  });
});

const entry = (transactions: Record<string, string>, message: 'camt.053' | 'camt.054', reference = 'E'): StatementSpec => {
  files += 1;
  const amount = Object.values(transactions)
    .reduce((all, one) => all + Number(one), 0)
    .toFixed(2);
  const details = Object.entries(transactions).map(([number, one]) => payment(iban, one, { refs: { AcctSvcrRef: number } }));
  return { id: `E${files}`, message, entries: [{ amount, reference, transactions: details }] };
};
const sum = (amount: string, reference = 'E'): StatementSpec => ({
  id: `SUM${(files += 1)}`,
  entries: [{ amount, reference, batch: '2' }],
});

describe('an entry whose transactions are reported under other numbers', () => {
  it.each([
    ['alone', []],
    ['after its sum', [sum('30.00')]],
  ])('issues nothing more: %s', async (_, before) => {
    for (const spec of before) await rail.import(spec);
    await rail.import(entry({ N1: '10.00', N2: '20.00' }, 'camt.054'));
    await rail.import(entry({ S1: '10.00', S2: '20.00' }, 'camt.053'));
    await rail.import(entry({ S1: '10.00', S2: '20.00' }, 'camt.054'));
    await rail.import(sum('30.00'));
    expect(await outcome()).toEqual({ issued: 3000, held: 0, reasons: [] });
    // Alone under one of two numbers that the bank has for it in notifications, it may be another payment.
    await rail.import(file(notified({ reference: 'S1' })));
    expect(await outcome()).toEqual({ issued: 3000, held: 1000, reasons: ['details_differ'] });
  });

  it.each([
    [
      'a part after its sum and all of it',
      [sum('30.00'), entry({ N1: '10.00', N2: '20.00' }, 'camt.054'), entry({ S1: '10.00' }, 'camt.053')],
    ],
    [
      'all of it after its sum and a part',
      [sum('30.00'), entry({ N1: '10.00' }, 'camt.054'), entry({ S1: '10.00', S2: '20.00' }, 'camt.053')],
    ],
    ['a part of them that a statement lists', [entry({ N1: '10.00', N2: '20.00' }, 'camt.054'), entry({ S1: '10.00' }, 'camt.053')]],
  ])('issues the sum, and nothing more: %s', async (_, reports) => {
    for (const report of reports) await rail.import(report);
    expect(await outcome()).toEqual({ issued: 3000, held: 0, reasons: [] });
  });

  it('holds transactions that are more than the sum', async () => {
    await rail.import(sum('30.00'));
    await rail.import(entry({ N1: '10.00', N2: '20.00' }, 'camt.054'));
    await rail.import(entry({ N1: '10.00', N2: '20.00', N3: '5.00' }, 'camt.054'));
    expect(await outcome()).toEqual({ issued: 3000, held: 500, reasons: ['details_differ'] });
  });
});

it('transactions of an issued sum are known afterwards under their own references', async () => {
  const account = `<Id><IBAN>${iban}</IBAN></Id>`;
  await rail.import({ account, entries: [{ amount: '30.00', reference: 'E' }] });
  await rail.import({ ...entry({ T1: '10.00', T2: '20.00' }, 'camt.054'), account });
  await rail.import({ ...file(notified({ reference: 'T1' })), account });
  expect(await outcome()).toEqual({ issued: 3000, held: 0, reasons: [] });
});

it('a further report is kept with the credit that counts', async () => {
  await rail.import(file(notified({ ...both, reference: 'N' })));
  const report = await rail.import(file(stated(both)));
  expect(report.counts).toMatchObject({ issued: 0, known: 1, unmatched: 0 });
  const reports = await rail.ledger
    .selectFrom('bankReports')
    .innerJoin('reportMoney', 'report', 'id')
    .orderBy('id')
    .select(['reference', 'credit'])
    .execute();
  expect(reports).toEqual(['N', 'S'].map((number) => ({ reference: `${masterIban}:${number}`, credit: `${masterIban}:N` })));
  expect(await money(rail.ledger)).toEqual(['N 1000 matched']);
});

const part = (reference: string, amount: string) => payment(iban, amount, { refs: { AcctSvcrRef: reference } });

describe('an entry that is reported in pieces', () => {
  it('is a sum when it lists only one of its transactions, which the transactions replace', async () => {
    await rail.import(file({ reference: 'BATCH', amount: '60.00', entry: { transactions: [part('T0', '20.00')] } }));
    expect(await outcome()).toEqual({ issued: 0, held: 6000, reasons: ['sum_differs'] });
    const all = [part('T0', '20.00'), part('T1', '15.00'), part('T2', '25.00')];
    await rail.import(file({ message: 'camt.053', reference: 'BATCH', amount: '60.00', entry: { transactions: all } }));
    expect(await outcome()).toEqual({ issued: 6000, held: 0, reasons: [] });
  });
});

describe("a bank's reference that it uses again", () => {
  it.each<[string, Report, number]>([
    ['for a payment with another UETR', { refs: { UETR: otherUetr } }, 1000],
    [
      'by another payer with another EndToEndId',
      { refs: { EndToEndId: 'OTHER' }, transaction: { payer: { name: 'X', iban: 'DE75512108001245126199' } } },
      1000,
    ],
    ['for the same payment', {}, 0],
  ])('%s is held beside the first, once', async (_, second, held) => {
    const refs = { EndToEndId: 'RENT', ...(second.refs?.['UETR'] !== undefined && { UETR: uetr }) };
    await rail.import(file(stated({ refs })));
    const again = () => rail.import(file(stated({ ...second, refs: { ...refs, ...second.refs } })));
    await again();
    await again();
    expect(await outcome()).toMatchObject({ issued: 1000, held });
  });
});
