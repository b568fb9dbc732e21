import { describe, expect, it } from 'vitest';
import asvs from './asvs-4.0.3.json' with { type: 'json' };
import { testProblems } from './named-tests.ts';
import { read } from './pages.ts';

const page = read('docs/security.md');
const [trustPart = '', asvsPart = '', rfcPart = ''] = page.split(/^## (?=OWASP|RFC)/m);

/** The headings of the tables, and whether what they list is held. */
const verdicts = ['Held', 'Held in part', 'Not held', 'Left to the operator', 'Not applicable'] as const;
type Verdict = (typeof verdicts)[number];

/** A row of a table: what is required, whether it is held, what is missing of it and why, and the tests or the review that show it. */
interface Row {
  ids: string[];
  verdict: Verdict;
  requirement: string;
  reason: string;
  shownBy: string;
}

function rows(part: string): Row[] {
  return part.split(/^### /m).flatMap((table) => {
    const verdict = verdicts.find((heading) => table.startsWith(`${heading}\n`));
    if (verdict === undefined) return [];
    return [...table.matchAll(/^\| ([\d., ]+) \|(.*)\|$/gm)].map(([, ids = '', cells = '']) => {
      const [requirement = '', second = '', third = ''] = cells.split('|').map((cell) => cell.trim());
      const [reason, shownBy] = verdict === 'Held' ? ['', second] : [second, third];
      return { ids: ids.split(', '), verdict, requirement, reason, shownBy };
    });
  });
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
function problems({ verdict, requirement, reason, shownBy }: Row): string[] {
  if (requirement === '') return ['says nothing'];
  if (verdict === 'Held' && shownBy.startsWith('Review: ')) return [];
  if (verdict === 'Held' && shownBy === '') return ['has neither a test nor a review'];
  if (verdict !== 'Held' && reason === '') return ['has no reason'];
  return testProblems(shownBy);
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
  expect(
    rows(rfcPart)
      .flatMap((row) => row.ids)
      .toSorted(),
  ).toEqual(ids.toSorted());
});

it('names tests that are there in the tables of whom the service trusts', () => {
  const named = trustPart.match(/`(?:contracts\/)?test\/[^`]+`(?: "[^"]+")*/g) ?? [];
  expect(named.length).toBeGreaterThan(30);
  expect(named.flatMap(testProblems)).toEqual([]);
});

it('finds a row without a test, and one that names a test which is not there', () => {
  const held = (shownBy: string) => rows(`### Held\n\n| 1.1.1 | x | ${shownBy} |\n`).flatMap(problems);
  expect(held('')).toEqual(['has neither a test nor a review']);
  expect(held('Review: there is none.')).toEqual([]);
  expect(held('`test/nowhere.test.ts`')).toEqual(['there is no test/nowhere.test.ts']);
  expect(held('`test/docs/runbooks.unit.test.ts` "nothing"')).toEqual(['test/docs/runbooks.unit.test.ts has no test "nothing"']);
  expect(rows('### Not held\n\n| 1.1.1 | x |  | |\n').flatMap(problems)).toEqual(['has no reason']);
});
