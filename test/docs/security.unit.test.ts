import { describe, expect, it } from 'vitest';
import asvs from './asvs-4.0.3.json' with { type: 'json' };
import { testProblems } from './named-tests.ts';
import { read } from './pages.ts';

const page = read('docs/security.md');
const [trustPart = '', asvsPart = '', rfcPart = ''] = page.split(/^## (?=OWASP|RFC)/m);

/** A row of a table: what is required, whether it is held, how or why not, and the tests that show it. */
interface Row {
  ids: string[];
  requirement: string;
  held: string;
  reason: string;
  tests: string;
}

function rows(part: string): Row[] {
  return [...part.matchAll(/^\| ([\d., ]+) \|(.*)\|(.*)\|(.*)\|(.*)\|$/gm)].map(
    ([, ids = '', requirement = '', held = '', reason = '', tests = '']) => ({
      ids: ids.split(', '),
      requirement: requirement.trim(),
      held: held.trim(),
      reason: reason.trim(),
      tests: tests.trim(),
    }),
  );
}

/** The ids of a list in which `2.1.1-12` stands for twelve. */
function expand(lists: readonly string[]): string[] {
  return lists
    .flatMap((list) => list.split(' '))
    .flatMap((range) => {
      const [, section = '', first = '', last = first] = /^(\d+\.\d+\.)(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${section}${Number(first) + index}`);
    });
}

/** What is wrong with a row; empty when it has what it needs. */
function problems({ held, reason, tests }: Row): string[] {
  if (!['yes', 'partly', 'no', 'operator', 'n/a'].includes(held)) return [`"${held}" says nothing`];
  if (held !== 'yes' && reason === '') return ['has no reason'];
  if (held === 'yes' && tests === '' && !reason.startsWith('Review: ')) return ['has neither a test nor a review'];
  return testProblems(tests);
}

describe.each([
  ['OWASP ASVS', asvsPart],
  ['RFC 9700', rfcPart],
])('the table of %s', (_, part) => {
  it('has a test that is there, or a reason, in every row', () => {
    const wrong = rows(part).flatMap((row) => problems(row).map((problem) => `${row.ids.join(', ')}: ${problem}`));
    expect(wrong).toEqual([]);
  });
});

it('has every requirement of OWASP ASVS of the levels 1 and 2 once, and no other', () => {
  const ids = rows(asvsPart).flatMap((row) => row.ids);
  const required = expand([...asvs.level1, ...asvs.level2]);
  expect(required).toHaveLength(259);
  expect(ids.toSorted()).toEqual(required.toSorted());
});

it('has every section of RFC 9700 that recommends something, and no other', () => {
  const attacks = Array.from({ length: 17 }, (_, index) => `4.${index + 1}`);
  const ids = ['2.1', '2.1.1', '2.1.2', '2.2.1', '2.2.2', '2.3', '2.4', '2.5', '2.6', ...attacks];
  expect(rows(rfcPart).flatMap((row) => row.ids)).toEqual(ids);
});

it('names tests that are there in the tables of whom the service trusts', () => {
  const named = trustPart.match(/`(?:contracts\/)?test\/[^`]+`(?: "[^"]+")*/g) ?? [];
  expect(named.length).toBeGreaterThan(30);
  expect(named.flatMap(testProblems)).toEqual([]);
});

it('finds a row without a test, and one that names a test which is not there', () => {
  const row = { ids: ['1.1.1'], requirement: 'x', held: 'yes', reason: '', tests: '' };
  expect(problems(row)).toEqual(['has neither a test nor a review']);
  expect(problems({ ...row, held: 'no' })).toEqual(['has no reason']);
  expect(problems({ ...row, tests: '`test/nowhere.test.ts`' })).toEqual(['there is no test/nowhere.test.ts']);
  expect(problems({ ...row, tests: '`test/docs/runbooks.unit.test.ts` "nothing"' })).toEqual([
    'test/docs/runbooks.unit.test.ts has no test "nothing"',
  ]);
});
