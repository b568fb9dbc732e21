import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import { readIndexed } from './read-indexed.ts';
import { viewsSchema } from './schema-names.ts';

/** How far the indexer of a chain is. */
export interface Progress {
  /** False while it reads the past, and for the seconds after a restart in which its newest rows are missing. */
  ready: boolean;
  /** Newest block whose rows are there. */
  block: bigint;
  /** The newest block whose rows no reorganisation and no restart of the indexer takes away. */
  finalizedBlock: bigint;
}

/** Ponder's checkpoint is a number of 75 digits; these are the block's. */
const blockOf = (checkpoint: string) => sql`substring(${sql.ref(checkpoint)}, 27, 16)::bigint`;

/** SQL of a value: the newest block of a chain whose rows are there (bigint). Ponder commits it with the block's rows. */
export function indexedBlock(chain: Chain): RawBuilder<bigint> {
  return sql<bigint>`(select ${blockOf('latest_checkpoint')} from ${sql.id(viewsSchema(chain))}._ponder_checkpoint)`;
}

/** SQL of a value: when the indexer of a chain last wrote that it lives, in milliseconds since 1970 (text). */
export function indexerHeartbeat(chain: Chain): RawBuilder<string | null> {
  return sql<string | null>`(select value ->> 'heartbeat_at' from ${sql.id(viewsSchema(chain))}._ponder_meta where key = 'app')`;
}

/** Reads the progress; undefined when the indexer has never been ready. */
export function readProgress(database: QueryExecutorProvider, chain: Chain): Promise<Progress | undefined> {
  return readTables(database, viewsSchema(chain));
}

/** Reads the progress of the tables in a schema that nobody reads yet; undefined before Ponder has made them. */
export async function readTables(database: QueryExecutorProvider, tables: string): Promise<Progress | undefined> {
  return (await readIndexed(() => sql<Progress>`select * from ${progressOf(tables)} p`.execute(database)))?.rows[0];
}

/** SQL of a relation with one row, in the columns of {@link Progress}; without any before Ponder has made the tables' first rows. */
function progressOf(tables: string): RawBuilder<unknown> {
  const schema = sql.id(tables);
  return sql`(
    select coalesce(value ->> 'is_ready', '0') = '1' as ready, ${blockOf('latest_checkpoint')} as block,
      ${blockOf('finalized_checkpoint')} as finalized_block
    from ${schema}._ponder_meta, ${schema}._ponder_checkpoint where key = 'app')`;
}

/** The progress, and whether there are outcomes that are to be looked at. */
export interface News extends Progress {
  hasNew: boolean;
}

/**
 * Reads the progress as {@link readProgress}, by the same statement whether there are outcomes to look at, and what the ledger says: SQL of a value for
 * `hasNew`, true where none is given, and for each of `facts`. While the index is not ready, no outcomes are read, and `hasNew` is true.
 */
export async function readNews<Facts extends object>(
  database: QueryExecutorProvider,
  chain: Chain,
  {
    hasNew = sql<boolean>`true`,
    facts,
  }: { hasNew?: RawBuilder<boolean> | undefined; facts: { [Name in keyof Facts]: RawBuilder<Facts[Name]> } },
): Promise<(News & Facts) | undefined> {
  const columns = Object.entries<RawBuilder<unknown>>(facts).map(([name, value]) => sql`${value} as ${sql.id(name)}`);
  const selected = sql.join([sql`p.*`, sql`case when p.ready then ${hasNew} else true end as has_new`, ...columns]);
  const query = sql<News & Facts>`select ${selected} from ${progressOf(viewsSchema(chain))} p`;
  return (await readIndexed(() => query.execute(database)))?.rows[0];
}

/** When a Ponder last wrote into its tables that it lives, in milliseconds since 1970; undefined before it has made them. */
export async function readHeartbeat(database: QueryExecutorProvider, tablesSchema: string): Promise<string | undefined> {
  const query = sql<{
    heartbeat: string;
  }>`select value ->> 'heartbeat_at' as heartbeat from ${sql.id(tablesSchema)}._ponder_meta where key = 'app'`;
  return (await readIndexed(() => query.execute(database)))?.rows[0]?.heartbeat;
}

/** Ends the lock that a Ponder which is gone has left in its tables: it would be waited for half a minute. For the owner only. */
export async function unlockIndex(database: QueryExecutorProvider, tablesSchema: string): Promise<void> {
  const unlock = sql`update ${sql.id(tablesSchema)}._ponder_meta set value = jsonb_set(value, '{is_locked}', '0') where key = 'app'`;
  await readIndexed(() => unlock.execute(database));
}

/** Whether the views of a chain read the tables in a schema. By what depends on what: to write a view's text out fails while Ponder replaces it. */
export async function areRead(database: QueryExecutorProvider, chain: Chain, tables: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
    where r.ev_class = (${oidOfOutcome(viewsSchema(chain))}) and d.refclassid = 'pg_class'::regclass and d.refobjid = (${oidOfOutcome(tables)})
    limit 1
  `.execute(database);
  return rows.length > 0;
}

function oidOfOutcome(schema: string): RawBuilder<unknown> {
  return sql`select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = ${schema} and c.relname = 'outcome'`;
}

/** Deletes the tables in a schema whose place others have taken. */
export async function dropIndex(database: QueryExecutorProvider, tables: string): Promise<void> {
  await sql`drop schema if exists ${sql.id(tables)} cascade`.execute(database);
}
