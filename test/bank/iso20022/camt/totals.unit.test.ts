import { describe, expect, test } from 'vitest';
import { outcomes, readSpec, refusalOf } from './reading.ts';
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
