import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: the lowest UUID of version 7 that can have been made at a time, as a bound for the ids of partitioned tables. The function of src/schema/partitions.sql
 * is immutable, so the planner knows the bound before it chooses partitions (docs/growth.md, Partitions).
 */
export function lowestIdAt(time: Date): RawBuilder<string> {
  return sql<string>`uuid_at(${time}::timestamptz)`;
}

/** The {@link lowestIdAt} of so many days ago, by the clock of this process. */
export function lowestIdOfDays(days: number): RawBuilder<string> {
  return lowestIdAt(new Date(Date.now() - days * 86_400_000));
}
