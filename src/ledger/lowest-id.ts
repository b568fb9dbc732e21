/**
 * The lowest UUID of version 7 that can have been made at a time: a bound for the ids of partitioned tables, which the planner knows before it plans
 * (docs/growth.md, Partitions). The function `uuid_at` of src/schema/partitions.sql is the same in SQL.
 */
export function lowestIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The {@link lowestIdAt} of so many days ago, by the clock of this process. */
export function lowestIdOfDays(days: number): string {
  return lowestIdAt(new Date(Date.now() - days * 86_400_000));
}
