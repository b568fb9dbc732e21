import { type QueryExecutorProvider, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';

/**
 * Lets the role of a connection read the tables of a schema of Ponder's (docs/indexed-data.md). Throws `reader_role_unfit` when it does not exist, or
 * could read the ledger: what readers send is checked by a parser, and the role is what holds when that is passed.
 */
export async function grantReading(database: QueryExecutorProvider, readerUrl: string, schema: string): Promise<void> {
  const role = decodeURIComponent(new URL(readerUrl).username);
  const { rows } = await sql<{ canReadLedger: boolean }>`
    select rolsuper or pg_has_role(oid, (select nspowner from pg_namespace where nspname = 'ledger'), 'member')
      or has_schema_privilege(oid, 'ledger', 'usage') as "canReadLedger"
    from pg_roles where rolname = ${role}`.execute(database);
  const [found] = rows;
  if (found === undefined) throw unfit(role, 'does not exist');
  if (found.canReadLedger) throw unfit(role, 'can read the ledger');
  await sql`grant usage on schema ${sql.id(schema)} to ${sql.id(role)}`.execute(database);
  await sql`grant select on all tables in schema ${sql.id(schema)} to ${sql.id(role)}`.execute(database);
}

function unfit(role: string, reason: string): StopError {
  return new StopError({
    code: 'reader_role_unfit',
    message: `The role ${role} of INDEXER_READER_URL ${reason}: make one that may do nothing (docs/indexed-data.md, The readers' role)`,
  });
}
