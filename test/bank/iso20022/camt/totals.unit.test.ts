import { describe, expect, test } from 'vitest';
import { outcomes, read, readSpec, refusalOf } from './reading.ts';
import { statementXml, versions } from './statement-xml.ts';
import type { EntrySpec } from './statement-xml.ts';

const total = (name: string, count: number | undefined, sum?: string) =>
  `<${name}>${count === undefined ? '' : `<NbOfNtries>${count}</NbOfNtries>`}${sum === undefined ? '' : `<Sum>${sum}</Sum>`}</${name}>`;
const entries: EntrySpec[] = [
  { amount: '60.10' },
  { amount: '39.90', transactions: [{ amount: '30' }, { amount: '9.90' }] },
  { amount: '5', status: 'PDNG' },
  { amount: '20', direction: 'DBIT' },
];

describe.each(versions)('version %s', (version) => {
  test.each([
    ['credits with the pending one', total('TtlCdtNtries', 3, '105.00')],
    ['booked credits', total('TtlCdtNtries', 2, '100')],
    ['transactions in place of entries', total('TtlCdtNtries', 4, '105')],
    ['all entries', total('TtlNtries', 4, '125')],
    ['all entries, netted', total('TtlNtries', 4, '85')],
    ['wrong debits', total('TtlCdtNtries', 3) + total('TtlDbtNtries', 9, '9')],
    ['nothing', ''],
  ])('totals of %s agree', async (_name, summary) => {
    expect(outcomes(await readSpec({ version, summary, entries }))).toHaveLength(5);
  });

  test.each([
    ['another number of credits', total('TtlCdtNtries', 7)],
    ['another sum of credits', total('TtlCdtNtries', undefined, '100.01')],
    ['a sum that is no number', total('TtlCdtNtries', undefined, '100,00')],
    ['another sum of all', total('TtlNtries', 4, '126')],
  ])('%s refuses the file', async (_name, summary) => {
    expect(await refusalOf(statementXml({ version, summary, entries }))).toMatchObject({ code: 'statement_totals_differ' });
  });
});

test.each([
  ['a page', { page: { number: 2, last: true } }],
  ['a first page with others to come', { page: { number: 1, last: false } }],
])('totals are those of the whole statement, so %s is not measured by them', async (_name, more) => {
  expect(outcomes(await readSpec({ summary: total('TtlCdtNtries', 70, '7000'), entries, ...more }))).toHaveLength(5);
});

test('the only page is measured', async () => {
  const spec = { summary: total('TtlCdtNtries', 70), entries, page: { number: 1, last: true } };
  expect((await refusalOf(statementXml(spec))).code).toBe('statement_totals_differ');
});

test('a sum over several currencies is not measured', async () => {
  const mixed = [...entries, { currency: 'USD' }];
  expect(outcomes(await readSpec({ summary: total('TtlCdtNtries', 4, '1'), entries: mixed }))).toHaveLength(6);
});

/** A statement in two pages of one file, each with all of its balances. */
function twoPages(closing: string): string {
  const [first, second] = [
    { page: { number: 1, last: false }, opening: '10.00', closing, entries: [{ amount: '5.00' }] },
    { page: { number: 2, last: true }, opening: '10.00', closing, entries: [{ amount: '7.00' }] },
  ].map((spec) => statementXml(spec));
  return first?.replace('</BkToCstmrStmt>', `${sectionOf(second)}</BkToCstmrStmt>`) ?? '';
}

function sectionOf(xml = ''): string {
  return xml.slice(xml.indexOf('<Stmt>'), xml.indexOf('</BkToCstmrStmt>'));
}

function balance(code: string, amount: string, day: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
}

describe('the movement from OPBD to CLBD', () => {
  test('is that of all pages of a file', async () => {
    expect(outcomes(await read(twoPages('22.00')))).toHaveLength(2);
    expect((await refusalOf(twoPages('17.00'))).code).toBe('statement_totals_differ');
  });

  test('is not known of a page without those before it', async () => {
    expect(outcomes(await readSpec({ page: { number: 2, last: true }, opening: '10.00', closing: '99.00', entries }))).toHaveLength(5);
  });

  const doubtful = [{ amount: '100.00' }, { amount: '5.00', status: 'ODD' }, { amount: '25.00', status: 'ODD' }];
  test.each(['100.00', '105.00', '125.00', '130.00'])('leaves open which entries of unknown status are booked: %s', async (closing) => {
    expect(outcomes(await readSpec({ opening: '0.00', closing, entries: doubtful }))).toHaveLength(3);
  });

  test.each(['99.00', '131.00'])('cannot be %s, whichever of them are', async (closing) => {
    expect((await refusalOf(statementXml({ opening: '0.00', closing, entries: doubtful }))).code).toBe('statement_totals_differ');
  });

  test('is from the first to the last of a statement that gives the balances of each day', async () => {
    const xml = statementXml({ entries: [{ amount: '5.00' }, { amount: '7.00' }] }).replace(
      /<Bal>.*<\/Bal>/,
      balance('OPBD', '15.00', '2026-11-20') +
        balance('CLBD', '22.00', '2026-11-20') +
        balance('OPBD', '10.00', '2026-11-19') +
        balance('CLBD', '15.00', '2026-11-19'),
    );
    expect(outcomes(await read(xml))).toHaveLength(2);
  });
});
