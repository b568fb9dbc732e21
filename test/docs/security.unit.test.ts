import { describe, expect, it } from 'vitest';
import asvs from './asvs-4.0.3.json' with { type: 'json' };
import { testProblems } from './named-tests.ts';
import { read } from './pages.ts';

const page = read('docs/security.md');

/** The cells of each row of the tables below a heading of the second level, without their heads. */
function rows(heading: string, of = page): string[][] {
  const [, section = ''] = new RegExp(`^## ${heading}\\n(.*?)(?:^## |(?![^]))`, 'ms').exec(of) ?? [];
  return [...section.matchAll(/^\| (.+) \|$(?!\n\|---)/gm)].map(([, row = '']) => row.split(' | '));
}

/** The ids of lists in which `2.1.1-12` stands for twelve; § marks the sections of RFC 9700. */
function expand(lists: readonly string[]): string[] {
  return lists
    .flatMap((list) => list.split(/,? /))
    .flatMap((range) => {
      const [, section = '', first = '', last = first] = /^(§?(?:\d+\.)+)(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${section}${Number(first) + index}`);
    });
}

/** What is wrong with rows that end with a test, or with a test and what it answers; empty when each has a test that is there. */
function problems(table: readonly string[][], test: number): string[] {
  return table.flatMap((cells) =>
    (cells.includes('') ? ['an empty cell'] : testProblems(cells.at(test) ?? '')).map((why) => `${cells[0]}: ${why}`),
  );
}

const answered = ['Promises', 'What is not promised'].flatMap((heading) => expand(rows(heading).map((cells) => cells.at(-1) ?? '')));

describe('docs/security.md', () => {
  it('has a test that is there for everything that somebody can do, and for every promise', () => {
    expect(rows('Who can do what').length).toBeGreaterThan(15);
    expect(rows('Promises').length).toBeGreaterThan(25);
    expect([...problems(rows('Who can do what'), -1), ...problems(rows('Promises'), 2)]).toEqual([]);
  });

  it('has a reason for everything that is not promised', () => {
    expect(rows('What is not promised').filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
  });

  it('has every requirement of OWASP ASVS of the levels 1 and 2 once, and no other', () => {
    const required = expand([...asvs.level1, ...asvs.level2]);
    expect(required).toHaveLength(259);
    expect(answered.filter((id) => !id.startsWith('§')).toSorted()).toEqual(required.toSorted());
  });

  it('has every section of RFC 9700 that recommends something once, and no other', () => {
    const sections = expand(['§2.1 §2.1.1-2 §2.2.1-2 §2.3-6 §4.1-17']);
    expect(answered.filter((id) => id.startsWith('§')).toSorted()).toEqual(sections.toSorted());
  });
});

it('finds a promise without a test, and one that names a test which is not there', () => {
  expect(problemsOf('`test/docs/runbooks.unit.test.ts`')).toEqual([]);
  expect(problemsOf('none')).toEqual(['a: cannot be read: none']);
  expect(problemsOf('`test/nowhere.test.ts`')).toEqual(['a: there is no test/nowhere.test.ts']);
  expect(problemsOf('`test/docs/runbooks.unit.test.ts` "nothing"')).toEqual(['a: test/docs/runbooks.unit.test.ts has no test "nothing"']);
});

/** What is wrong with a page that has a single promise, shown by this. */
function problemsOf(shownBy: string): string[] {
  return problems(rows('Promises', `## Promises\n\n| x | y | z | of |\n|---|---|---|---|\n| a | b | ${shownBy} | 1.1.1 |\n`), 2);
}
