import { randomBytes } from 'node:crypto';
import { type QueryExecutorProvider, sql } from 'kysely';
import { createDatabase, createPool } from '../platform/database.ts';
import { StopError } from '../platform/errors.ts';

const role = 'indexed_reader';

/** What `grantReading` takes: anything that Kysely can run a statement on, as the owner of the tables. */
export type TablesOwner = QueryExecutorProvider;

/** Makes the role with which readers of indexed rows connect (docs/indexed-data.md), with a new password. Returns its connection. */
export async function makeReaderRole(databaseUrl: string): Promise<string> {
  const database = createDatabase<Record<string, never>>(createPool({ connectionString: databaseUrl, max: 1, name: 'mintrail sandbox' }));
  const password = randomBytes(24).toString('base64url');
  try {
    await sql`do $$ begin create role ${sql.id(role)} login; exception when duplicate_object then null; end $$`.execute(database);
    await sql`alter role ${sql.id(role)} password ${sql.lit(password)}`.execute(database);
  } finally {
    await database.destroy();
  }
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = password;
  return url.href;
}

/**
 * Lets the role of a connection read the tables of a schema of Ponder's (docs/indexed-data.md). Throws `invalid_settings` when it does not exist, or
 * could read the ledger: what readers send is checked by a parser, and the role is what holds when that is passed.
 */
export async function grantReading(database: TablesOwner, readerUrl: string, schema: string): Promise<void> {
  const reader = decodeURIComponent(new URL(readerUrl).username);
  const { rows } = await sql<{ canReadLedger: boolean }>`
    select rolsuper or pg_has_role(oid, (select nspowner from pg_namespace where nspname = 'ledger'), 'member')
      or has_schema_privilege(oid, 'ledger', 'usage') as "canReadLedger"
    from pg_roles where rolname = ${reader}`.execute(database);
  const [role] = rows;
  if (role === undefined) throw unfit(reader, 'does not exist');
  if (role.canReadLedger) throw unfit(reader, 'can read the ledger');
  await sql`grant usage on schema ${sql.id(schema)} to ${sql.id(reader)}`.execute(database);
  await sql`grant select on all tables in schema ${sql.id(schema)} to ${sql.id(reader)}`.execute(database);
}

function unfit(reader: string, reason: string): StopError {
  return new StopError({
    code: 'invalid_settings',
    message: `The role ${reader} of INDEXER_READER_URL ${reason}: make one that may do nothing (docs/indexed-data.md, The readers' role)`,
  });
}
