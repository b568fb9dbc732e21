import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: a condition that is only checked on rows that a statement finds by their ids. The planner neither looks for them in a partial index nor takes them
 * for few: its statistics know hardly any row in a state that lasts for seconds, so it would compare each of a thousand ids with each open row.
 */
export function asFilter(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${condition}, false)`;
}
