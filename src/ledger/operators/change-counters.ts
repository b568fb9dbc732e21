import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import { lowestIdOfDays } from '../lowest-id.ts';

/** Partitions of a table that are counted: those that rows are added to now, and the next. */
const newestPartitions = 6;

/** Days in which the newest event lies, unless nothing happens any more. */
const newestDays = 31;

/**
 * How many rows of each of these tables have been added, changed and deleted, as PostgreSQL counts them for itself, and the newest event. The counts lag behind by a second,
 * in a burst by up to ten; that of events does not. They say whether something has changed, whatever the tables hold: a restart of PostgreSQL begins anew.
 */
export async function readChangeCounters(
  ledger: Ledger,
  tables: readonly string[],
): Promise<{ counts: Map<string, string>; newestEvent: string }> {
  const { rows } = await sql<{ name: string; changes: string }>`
    with counted as (
      select name, to_regclass(name)::oid as id from unnest(${tables}::text[]) as name
    ), parts as (
      select c.name, p.inhrelid as id from counted c
      cross join lateral (
        select i.inhrelid from pg_inherits i join pg_class r on r.oid = i.inhrelid
        where i.inhparent = c.id order by r.relname desc limit ${newestPartitions}
      ) p
      union all select name, id from counted
    )
    select name, sum(pg_stat_get_tuples_inserted(id) + pg_stat_get_tuples_updated(id) + pg_stat_get_tuples_deleted(id))::text as changes
    from parts group by name
  `.execute(ledger);
  const newest = await sql<{
    id: string;
  }>`select id from events where id >= ${lowestIdOfDays(newestDays)} order by id desc limit 1`.execute(ledger);
  return { counts: new Map(rows.map(({ name, changes }) => [name, changes])), newestEvent: newest.rows[0]?.id ?? '' };
}
