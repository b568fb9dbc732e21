import { type QueryExecutorProvider, sql } from 'kysely';
import { ledgerSchema } from '../../platform/database.ts';
import { silentAfterSeconds } from './heartbeats.ts';

/** One run of an indexer, and the schema of the tables that it writes. */
export interface IndexRun {
  schema: string;
  /** A UUID. */
  run: string;
}

/** The name of a run's connections. Whatever has it can be ended by name. */
export function connectionName(run: string): string {
  return `mintrail index ${run}`;
}

/** A query that has a row while a run is the owner, for a connection that knows nothing of the ledger. */
export function ownerQuery({ schema, run }: IndexRun): string {
  return `select from ${ledgerSchema}.index_owners where tables_schema = '${schema}' and run = '${run}'`;
}

/** Seconds after which an owner without a connection has ended: it says that it lives every two. */
const endedAfterSeconds = 6;

/**
 * Makes or keeps a run the owner of its schema. Another owner keeps it as long as it says that it lives, and one that has ended or was silent
 * for 15 seconds loses it. The connections of the run before are ended, and it gets no new ones. Returns whether the run is the owner.
 */
export async function ownIndex(ledger: QueryExecutorProvider, { schema, run }: IndexRun): Promise<boolean> {
  const { rows } = await sql<{ before: string | null }>`
    insert into index_owners as o (tables_schema, run) values (${schema}, ${run})
    on conflict (tables_schema) do update set
      run = excluded.run, seen_at = now(), run_before = case when o.run = excluded.run then o.run_before else o.run end
    where o.run = excluded.run
      or o.seen_at < now() - make_interval(secs => ${silentAfterSeconds})
      or (o.seen_at < now() - make_interval(secs => ${endedAfterSeconds})
        and not exists (select from pg_stat_activity where application_name = 'mintrail index ' || o.run))
    returning run_before as before`.execute(ledger);
  const [owned] = rows;
  if (owned === undefined) return false;
  if (owned.before !== null)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${connectionName(owned.before)}`.execute(
      ledger,
    );
  return true;
}

/** Lets another run own the schema at once. */
export async function disownIndex(ledger: QueryExecutorProvider, { schema, run }: IndexRun): Promise<void> {
  await sql`delete from index_owners where tables_schema = ${schema} and run = ${run}`.execute(ledger);
}
