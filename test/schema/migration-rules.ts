import { unusedSince } from '../../src/schema/running-versions.ts';

/** What a statement of a migration does that processes of the version before cannot live with. */
const contractions: readonly [what: string, pattern: RegExp][] = [
  ['drops a table or column', /\bdrop\s+(table|column)\b/i],
  ['renames something', /\brename\s+(to|column|constraint)?\b/i],
  ['changes the type of a column', /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i],
  ['requires a column that older statements do not write', /\bset\s+not\s+null\b/i],
  ['drops a default on which older statements rely', /\bdrop\s+default\b/i],
  ['drops a function or view that older statements may call', /\bdrop\s+(function|view)\b/i],
];

/**
 * What in a migration the processes of the version before may not survive. A migration that only adds has nothing of it; one that removes what the release
 * before does not use any more says so by a line `-- contract: unused since 1.2.3`.
 */
export function contractionsOf(migration: string): string[] {
  if (unusedSince(migration) !== undefined) return [];
  const statements = statementsOf(migration);
  const removals = contractions.flatMap(([what, pattern]) =>
    statements.filter((statement) => pattern.test(statement)).map((statement) => `${what}: ${oneLine(statement)}`),
  );
  return removals.concat(statements.flatMap(requiredColumns));
}

/**
 * What in a migration makes writers of a large table wait while an index is built, or everybody while one is dropped. An index of a table that the migration
 * makes, or `on only` a partitioned table, has no rows to read. A migration that builds concurrently runs outside of a transaction: it does nothing else, and
 * each of its statements may run again after a crash.
 */
export function blockingIndexesOf(migration: string): string[] {
  const statements = statementsOf(migration)
    .map(oneLine)
    .filter((statement) => statement !== '');
  const created = new Set(statements.map((statement) => /^create table (\w+)/i.exec(statement)?.[1]));
  if (statements.some((statement) => /\bindex concurrently\b/i.test(statement)))
    return statements
      .filter(
        (statement) =>
          !/^(create (unique )?index concurrently if not exists \w+ on|drop index concurrently if exists) \w+/i.test(statement),
      )
      .map((statement) => `is no repeatable statement about an index, beside others that are: ${statement}`);
  return statements.flatMap((statement) => {
    const table = /^create (?:unique )?index (?:if not exists )?\w+ on (?!only )(\w+)/i.exec(statement)?.[1];
    if (table !== undefined && !created.has(table)) return [`builds an index while writers wait: ${statement}`];
    const altered = /^alter table (\w+) .*\badd (?:constraint \w+ )?(?:unique|primary key) ?\(/i.exec(statement)?.[1];
    if (altered !== undefined && !created.has(altered)) return [`builds an index while writers wait: ${statement}`];
    return /^drop index /i.test(statement) ? [`drops an index while everybody waits: ${statement}`] : [];
  });
}

function statementsOf(migration: string): string[] {
  return withoutBodies(migration)
    .replaceAll(/--[^\n]*/g, '')
    .split(';');
}

/** Names the columns that are added with `not null` and without a default. */
function requiredColumns(statement: string): string[] {
  return [...statement.matchAll(/\badd\s+column\s+(?:if\s+not\s+exists\s+)?([^,]+)/gi)]
    .map(([, column = '']) => oneLine(column))
    .filter((column) => /\bnot\s+null\b/i.test(column) && !/\b(default|generated)\b/i.test(column))
    .map((column) => `adds a column that older statements do not write: ${column}`);
}

/** The bodies of functions are no changes of tables. */
function withoutBodies(sql: string): string {
  return sql.replaceAll(/(\$\w*\$).*?\1/gs, "''");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
