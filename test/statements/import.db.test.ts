import { describe, expect, it } from 'vitest';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { contents, manyPayments, money, payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;

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
      alerts: [{ outcome: 'unexplained', amount: '5.00' }],
      lines: [],
    });
    const orders = await rail.ledger.selectFrom('orders').orderBy('amount').selectAll().execute();
    expect(orders).toMatchObject([
      {
        amount: 1050n,
        memo: 'Rent for May',
        counterpart: { identifier: { iban: 'IS140159260076545510730339' }, details: { name: 'Jón Jónsson' } },
      },
      { amount: 2000n, memo: 'Powered by Mintrail', referenceNumber: 'RF18539007547034', state: 'placed' },
    ]);
    expect(rail.woken).toEqual(['lane-chiado']);
  });

  it.each([
    ['without an account', '', { standard: 'account' }],
    ['with a domestic number', '<Othr><Id>4711 00815</Id></Othr>', { standard: 'account', accountNumber: '471100815' }],
    ['with wrong check digits', '<IBAN>DE00370400440532013000</IBAN>', { standard: 'account', accountNumber: 'DE00370400440532013000' }],
  ])('makes an order whose payer, %s, is no IBAN', async (_what, account, identifier) => {
    const own = `<CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct>`;
    const parties = `<Dbtr><Pty><Nm>Ada</Nm></Pty></Dbtr>${account && `<DbtrAcct><Id>${account}</Id></DbtrAcct>`}${own}`;
    await rail.import({ entries: [{ reference: 'A', transactions: [{ parties }] }] });
    const order = await rail.ledger.selectFrom('orders').select(['id', 'counterpart']).executeTakeFirstOrThrow();
    expect(order.counterpart).toEqual({ identifier, details: { name: 'Ada' } });
    const { legId } = await rail.ledger.selectFrom('legs').select('id as legId').executeTakeFirstOrThrow();
    await settleLegs(rail.ledger, [{ legId, txHash: null, blockNumber: null, refused: 'account is blocked' }]);
    // No payment can be sent to such an account: the money waits for the operator.
    expect(await rail.ledger.selectFrom('credits').select(['state', 'reason']).execute()).toEqual([
      { state: 'unmatched', reason: 'the token contract refused the issue: account is blocked' },
    ]);
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
    expect(rows.map(({ railReason }) => railReason)).toEqual([
      'reference_missing',
      null,
      'currency_unsupported',
      'sum_differs',
      null,
      'amount_too_precise',
    ]);
    expect(rows.at(-1)).toMatchObject({ amount: null, facts: { amountText: '7.005' }, source: 'statement.xml' });
  });

  it('says loudly that the bank took a credit back that is not known, keeps that with the file, and changes nothing', async () => {
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
    expect(report.alerts).toMatchObject([{ entry: 1, outcome: 'unexplained', amount: '9.00', currency: 'eur' }]);
    expect(report.alerts[0]?.reason).toContain('it takes a credit back, and nothing proves which');
    expect(await contents(rail.ledger)).toEqual(before);
    const files = await rail.ledger.selectFrom('bankFiles').orderBy('importedAt').select('report').execute();
    expect(files.at(-1)?.report).toEqual(report);
  });
});

const entries = () => [
  { amount: '10.00', reference: 'A', transactions: [payment(iban, '10.00')] },
  { amount: '30.00', reference: 'B', transactions: [payment(iban, '10.00'), payment(iban, '20.00')] },
  { amount: '7.00', transactions: [payment('NL56AGDH9619008421', '7.00')] },
];

describe('the same money again', () => {
  it('in the same file changes nothing', async () => {
    const first = await rail.import({ entries: entries() });
    const before = await contents(rail.ledger);
    rail.woken.length = 0;
    const again = await rail.import({ entries: entries() }, { name: 'other.xml' });
    expect(again).toEqual({ ...first, file: 'other.xml', state: 'already_imported' });
    expect(await contents(rail.ledger)).toEqual(before);
    expect(rail.woken).toEqual([]);
  });

  it('in several files at once counts once', async () => {
    const files = [0, 1, 2, 3].map((number) => rail.import({ id: `S${number % 2}`, entries: entries() }, { name: `${number}.xml` }));
    const reports = await Promise.all(files);
    expect(reports.map(({ state }) => state).sort()).toEqual(['already_imported', 'already_imported', 'applied', 'applied']);
    expect(
      reports
        .filter(({ state }) => state === 'applied')
        .map(({ counts }) => counts.issued)
        .sort((one, other) => one - other),
    ).toEqual([0, 3]);
    expect((await contents(rail.ledger)).counts).toEqual([3, 3, 3]);
  });
});

describe('progress', () => {
  it('is told along the file, up to its end', async () => {
    const xml = manyPayments(masterIban, 1_500);
    const seen: { entries: number; bytes: number }[] = [];
    await rail.import(xml, { onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toEqual({ entries: 1_500, bytes: Buffer.byteLength(xml) });
    expect(seen).toEqual([...seen].sort((one, other) => one.bytes - other.bytes));
  });

  it('of a report stays small, though nothing of the money is forgotten', async () => {
    const xml = manyPayments(masterIban, 300);
    const report = await rail.import(xml);
    expect(report.lines).toHaveLength(200);
    expect(report.omitted).toBe(100);
    expect(await money(rail.ledger)).toHaveLength(300);
  });
});
