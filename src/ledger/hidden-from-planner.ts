import { type RawBuilder, sql } from 'kysely';

/**
 * SQL of a condition that PostgreSQL checks on each row that a statement has found by id, and does not plan by. Without it the planner may look for the
 * rows in a partial index of the condition, because its statistics show hardly any row in a state that lasts for seconds: it would then compare each of a
 * thousand ids with each open row.
 */
export function hiddenFromPlanner(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${condition}, false)`;
}

/**
 * SQL of a limit that PostgreSQL does not plan by. It expects a tenth of the rows then, and reads an index in its order. With a number that it knows it may
 * read all rows and sort them, because its statistics show fewer than there are.
 */
export function limitHiddenFromPlanner(limit: number): RawBuilder<number> {
  return sql<number>`(select ${limit}::int)`;
}
