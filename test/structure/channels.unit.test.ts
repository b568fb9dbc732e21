import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './sources.ts';

const texts = [...sourceFiles, ...globSync('src/schema/*.sql')].map((file) => [file, readFileSync(file, 'utf8')] as const);

/** Each place where a file has the pattern, as the file and what it has. */
function places(pattern: RegExp, all: readonly (readonly [string, string])[] = texts): string[] {
  return [
    ...new Set(all.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found.replaceAll(/\s+/g, ' ')}`))),
  ];
}

/** What reads the text of a statement, or begins one with a comment. */
const ownText = /\bcurrent_query\s*\(|\bsql`\s*\/\*|(?<=['"`])\/\*\w+ (?=['"`$])/g;

/** Variables of ours that a session or a transaction has, beside the settings of PostgreSQL. */
const variables = /\b(?:set_config|current_setting)\(\\?'+mintrail\.\w+|\bset (?:local |session )?mintrail\.\w+/g;

/** What looks for a suffix of a key: a regular expression or a pattern with a `#` in SQL, or one in TypeScript. */
const parsedKeys =
  /(?:\bregexp_\w+\([^\n']*|~\*?\s*|\blike\s+)'[^'\n]*#(?:[a-z%\\]|\[0)[^'\n]*'|\bsplit_part\([^\n]*'#'|\/(?:[^/\n]*[^/\s])?#[a-z][^/\n]*\/\w*\.test\(|\.split\('#'\)/gi;

describe('what a statement is told', () => {
  it('is no comment, and no trigger reads the text of the statement', () => {
    expect(places(ownText)).toEqual([]);
  });

  it('is a column or a parameter, except who acts, which is set where a transaction begins, and the statements that list what is booked', () => {
    expect(places(variables).toSorted()).toEqual([
      "src/ledger/bank/statements/bank-statements.ts: set_config('mintrail.statements",
      'src/platform/postgres/acting-dialect.ts: set local mintrail.actor',
      "src/schema/audit.sql: current_setting('mintrail.actor",
      "src/schema/bank.sql: current_setting('mintrail.statements",
    ]);
  });

  it('stands behind no `#` of a key that somebody parses, except in the references of the bank', () => {
    expect([...new Set(places(parsedKeys).map((place) => place.replace(/:.*/s, '')))].toSorted()).toEqual([
      'src/ledger/bank/claims/credit-reversals.ts',
      'src/ledger/bank/derived-references.ts',
      'src/schema/bank.sql',
    ]);
  });

  it('is seen by these checks where it is hidden', () => {
    const hidden: [string, string][] = [
      ['a.sql', "given text := substring(current_query() from '^/\\*by')"],
      ['b.ts', 'sql`/*by otto*/ insert into operators values (1)`'],
      ['c.ts', "const start = '/*by ';"],
    ];
    expect(places(ownText, hidden)).toHaveLength(3);
    expect(
      places(variables, [
        ['d.ts', "sql`set local mintrail.resealing = 'on'`"],
        ['e.sql', "f(''current_setting(''mintrail.x'', true)''"],
      ]),
    ).toHaveLength(2);
    expect(
      places(parsedKeys, [
        ['f.sql', "select regexp_replace(source, '(#again-\\d+)+$', '')"],
        ['g.sql', "where source like '%#rest'"],
        ['h.ts', 'return /#left-\\d+$/.test(reference);'],
      ]),
    ).toHaveLength(3);
  });
});
