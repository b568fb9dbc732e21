import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { masterIban, statementXml } from '../bank/iso20022/statement-xml.ts';
import { bytes, contents, createTestRail, money, payment, type TestRail } from './bank-rail.ts';

let rail: TestRail;
let iban: string;

beforeEach(async () => {
  rail = await createTestRail();
  ({ iban } = rail.customer);
});

afterEach(() => rail.close());

const nothing = { credits: [], orders: [], counts: [0, 0, 0] };

describe('an import', () => {
  it('makes an order of every booked credit to an IBAN of ours', async () => {
    const report = await rail.import({
      message: 'camt.054',
      entries: [
        {
          amount: '10.50',
          reference: 'A',
          transactions: [payment(iban, '10.50', { ustrd: ['Rent for', 'May'], refs: { EndToEndId: 'E2E' } })],
        },
        { amount: '20.00', reference: 'B', transactions: [payment(iban, '20.00', { structured: 'RF18539007547034' })] },
        { amount: '5.00', reference: 'C', direction: 'DBIT' },
        { amount: '6.00', reference: 'D', status: 'PDNG' },
      ],
    });
    expect(report).toMatchObject({
      file: 'statement.xml',
      state: 'applied',
      message: 'camt.054',
      counts: { entries: 4, issued: 2, known: 0, unmatched: 0, skipped: 2 },
      skipped: { debit: 1, not_booked: 1 },
      sums: { issued: { eur: '30.50' }, known: {}, unmatched: {} },
      alerts: [],
      lines: [],
    });
    const orders = await rail.ledger.selectFrom('orders').orderBy('amount').selectAll().execute();
    expect(orders).toMatchObject([
      {
        amount: 1050n,
        memo: 'Rent for May',
        counterpart: { identifier: { iban: 'IS140159260076545510730339' }, details: { name: 'Jón Jónsson' } },
      },
      { amount: 2000n, memo: 'Powered by Mintrail', reference_number: 'RF18539007547034', state: 'placed' },
    ]);
    expect(rail.woken).toEqual(['lane-chiado']);
  });

  it('makes an order of each transaction of a batched entry', async () => {
    const transactions = [payment(iban, '10.00'), payment(iban, '20.00'), payment('NL56AGDH9619008421', '30.00')];
    const report = await rail.import({ entries: [{ amount: '60.00', reference: 'BATCH', transactions }] });
    expect(report.counts).toEqual({ entries: 1, issued: 2, known: 0, unmatched: 1, skipped: 0 });
    expect(await money(rail.ledger)).toEqual(['BATCH#tx1 1000 matched', 'BATCH#tx2 2000 matched', 'BATCH#tx3 3000 unmatched']);
  });

  it('keeps money that cannot become an order, with the reason, and applies the rest', async () => {
    const report = await rail.import({
      entries: [
        { amount: '1.00', reference: 'A', transactions: [payment('NL56AGDH9619008421', '1.00')] },
        { amount: '2.00', currency: 'CHF', reference: 'B', transactions: [payment(iban, '2.00', { currency: 'CHF' })] },
        { amount: '100.00', reference: 'C', transactions: [payment(iban, '3.00'), payment(iban, '4.00')] },
        { amount: '5.00', currency: 'GBP', reference: 'D', transactions: [payment(iban, '5.00', { currency: 'GBP' })] },
        { amount: '6.00', reference: 'E', transactions: [payment(iban, '6.00')] },
        { amount: '7.005', reference: 'F', transactions: [payment(iban, '7.005')] },
        { amount: '8.00', transactions: [] },
      ],
    });
    expect(report.counts).toEqual({ entries: 7, issued: 1, known: 0, unmatched: 6, skipped: 0 });
    expect(report.lines.map(({ entry, reason }) => `${entry}: ${reason}`)).toEqual([
      '1: the IBAN is not assigned',
      expect.stringMatching(/^2: the currency chf is not one of/),
      expect.stringMatching(/^3: .*100\.00.*7\.00|^3: .*7\.00.*100\.00/),
      '4: there is no gbp token on chiado',
      '6: 7.005 EUR has more than two decimals',
      expect.stringMatching(/^7: the entry has neither a bank reference nor details/),
    ]);
    expect(report.sums).toEqual({ issued: { eur: '6.00' }, known: {}, unmatched: { chf: '2.00', eur: '109.00', gbp: '5.00' } });
    const rows = await rail.ledger.selectFrom('credits').where('state', '=', 'unmatched').orderBy('reference').selectAll().execute();
    expect(rows.map(({ rail_reason: railReason }) => railReason)).toEqual([
      'reference_missing',
      null,
      'currency_unsupported',
      'sum_differs',
      null,
      'amount_too_precise',
    ]);
    expect(rows.at(-1)).toMatchObject({ amount: null, facts: { amountText: '7.005' }, source: 'statement.xml' });
  });

  it('keeps a payment of ours that came back, with the references by which it is found', async () => {
    const returned = payment(iban, '9.00', { returnReason: 'AC04', code: ['RCDT', 'RRTN'], refs: { EndToEndId: 'LEG-1' } });
    await rail.import({ entries: [{ amount: '9.00', reference: 'R', code: ['RCDT', 'RRTN'], transactions: [returned] }] });
    const row = await rail.ledger.selectFrom('credits').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'unmatched', rail_reason: 'payment_returned', end_to_end_id: 'LEG-1' });
    expect(row.facts).toMatchObject({ returned: { reason: 'AC04', originalEndToEndId: 'LEG-1' } });
  });

  it('says loudly that the bank took a credit back, keeps that with the file, and changes nothing', async () => {
    const entries = [{ amount: '9.00', reference: 'A', transactions: [payment(iban, '9.00')] }];
    await rail.import({ entries });
    const before = await contents(rail.ledger);
    const reversal = {
      amount: '9.00',
      direction: 'DBIT',
      reversal: true,
      transactions: [payment(iban, '9.00', { refs: { EndToEndId: 'E9' } })],
    };
    const report = await rail.import({ id: 'S2', entries: [reversal] });
    expect(report.alerts).toMatchObject([{ entry: 1, outcome: 'skipped', amount: '9.00', currency: 'eur' }]);
    expect(report.alerts[0]?.reason).toContain('THE BANK TOOK A CREDIT BACK');
    expect(await contents(rail.ledger)).toEqual(before);
    const files = await rail.ledger.selectFrom('bank_files').orderBy('imported_at').select('report').execute();
    expect(files.at(-1)?.report).toEqual(report);
  });
});

describe('the same money again', () => {
  const entries = () => [
    { amount: '10.00', reference: 'A', transactions: [payment(iban, '10.00')] },
    { amount: '30.00', reference: 'B', transactions: [payment(iban, '10.00'), payment(iban, '20.00')] },
    { amount: '7.00', transactions: [payment('NL56AGDH9619008421', '7.00')] },
  ];

  it('in the same file changes nothing', async () => {
    const first = await rail.import({ entries: entries() });
    const before = await contents(rail.ledger);
    rail.woken.length = 0;
    const again = await rail.import({ entries: entries() }, { name: 'other.xml' });
    expect(again).toEqual({ ...first, file: 'other.xml', state: 'already_imported' });
    expect(await contents(rail.ledger)).toEqual(before);
    expect(rail.woken).toEqual([]);
  });

  it('in another statement with the same entries changes nothing', async () => {
    await rail.import({ message: 'camt.054', entries: entries() });
    const before = await contents(rail.ledger);
    const report = await rail.import({ message: 'camt.053', version: '02', id: 'S2', entries: entries() });
    expect(report).toMatchObject({
      state: 'applied',
      counts: { entries: 3, issued: 0, known: 4, unmatched: 0 },
      sums: { known: { eur: '47.00' } },
    });
    expect(await contents(rail.ledger)).toEqual(before);
  });

  it('in several files at once counts once', async () => {
    const files = [0, 1, 2, 3].map((number) => rail.import({ id: `S${number % 2}`, entries: entries() }, { name: `${number}.xml` }));
    const reports = await Promise.all(files);
    expect(reports.map(({ state }) => state).sort()).toEqual(['already_imported', 'already_imported', 'applied', 'applied']);
    expect(
      reports
        .filter(({ state }) => state === 'applied')
        .map(({ counts }) => counts.issued)
        .sort(),
    ).toEqual([0, 3]);
    expect((await contents(rail.ledger)).counts).toEqual([3, 3, 3]);
  });
});

describe('a file that cannot be applied leaves everything as it was', () => {
  const good = () => statementXml({ entries: [{ amount: '10.00', reference: 'A', transactions: [payment(iban, '10.00')] }] });

  it.each([
    ['malformed XML', (xml: string) => xml.replace('</Ntry>', '</Ntry></Oops>'), 'statement_malformed'],
    ['a file cut off', (xml: string) => xml.slice(0, -30), 'statement_truncated'],
    [
      'an entity bomb',
      (xml: string) => xml.replace('<Document', '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><Document'),
      'statement_doctype',
    ],
    [
      'a sum that is not that of the entries',
      (xml: string) =>
        xml.replace('</Acct>', '</Acct><TxsSummry><TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>11.00</Sum></TtlCdtNtries></TxsSummry>'),
      'statement_totals_differ',
    ],
    [
      'another message',
      () => '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn/></Document>',
      'statement_unsupported',
    ],
    ['no XML at all', () => '%PDF-1.7', 'statement_malformed'],
    ['an empty file', () => '', 'statement_malformed'],
  ])('%s', async (_, damage, code) => {
    const refusal = await rail.refusalOf(damage(good()));
    expect([code, 'statement_truncated']).toContain(refusal.code);
    expect(refusal.message).toContain('Nothing of this file was applied.');
    expect(await contents(rail.ledger)).toEqual(nothing);
    expect(await rail.ledger.selectFrom('bank_files').selectAll().execute()).toEqual([]);
    expect(rail.woken).toEqual([]);
  });

  it('and is applied whole once the bank sends it whole', async () => {
    const many = Array.from({ length: 1_200 }, (__, number) => ({
      amount: '1.00',
      reference: `N${number}`,
      transactions: [payment(iban, '1.00')],
    }));
    const whole = statementXml({ entries: many });
    await rail.refusalOf(whole.slice(0, -20));
    expect(await contents(rail.ledger)).toEqual(nothing);
    expect((await rail.import(whole)).counts.issued).toBe(1_200);
  });
});

describe('an import that is interrupted', () => {
  const many = (size: number) =>
    statementXml({
      entries: Array.from({ length: size }, (_, number) => ({
        amount: '1.00',
        reference: `N${number}`,
        transactions: [payment(iban, '1.00')],
      })),
    });

  it('by the end of its connection leaves nothing, and goes through the next time', async () => {
    const xml = many(1_100);
    const killed = rail.import(xml, { chunks: killing(xml) });
    await expect(killed).rejects.toThrow();
    expect(await contents(rail.ledger)).toEqual(nothing);
    expect((await rail.import(xml)).counts).toMatchObject({ entries: 1_100, issued: 1_100 });
  });

  it('by an error of its source leaves nothing, and blocks no other', async () => {
    const xml = many(1_100);
    await expect(rail.import(xml, { chunks: failing(xml) })).rejects.toThrow('the disk is gone');
    expect((await rail.import(xml)).counts.issued).toBe(1_100);
  });

  async function* failing(xml: string) {
    yield Buffer.from(xml.slice(0, -1_000));
    throw new Error('the disk is gone');
  }

  /** Ends the connection of the import when most of the file is written. */
  async function* killing(xml: string) {
    yield* bytes(xml.slice(0, -1_000));
    const client = new Client({ connectionString: rail.url });
    await client.connect();
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    await client.end();
    expect(rowCount).toBe(1);
    yield Buffer.from(xml.slice(-1_000));
  }
});

describe('progress', () => {
  it('is told along the file, up to its end', async () => {
    const xml = statementXml({
      entries: Array.from({ length: 1_500 }, (_, number) => ({
        amount: '1.00',
        reference: `N${number}`,
        transactions: [payment(masterIban, '1.00')],
      })),
    });
    const seen: { entries: number; bytes: number }[] = [];
    await rail.import(xml, { onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toEqual({ entries: 1_500, bytes: Buffer.byteLength(xml) });
    expect(seen).toEqual([...seen].sort((one, other) => one.bytes - other.bytes));
  });

  it('of a report stays small, though nothing of the money is forgotten', async () => {
    const xml = statementXml({
      entries: Array.from({ length: 1_500 }, (_, number) => ({
        amount: '1.00',
        reference: `N${number}`,
        transactions: [payment(masterIban, '1.00')],
      })),
    });
    const report = await rail.import(xml);
    expect(report.lines).toHaveLength(200);
    expect(report.omitted).toBe(1_300);
    expect(await money(rail.ledger)).toHaveLength(1_500);
  });
});
