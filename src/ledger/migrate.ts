import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { createPool, isDatabaseOutage, ledgerSchema } from '../platform/database.ts';
import { StopError, messageOf } from '../platform/errors.ts';
import { requireServerVersion } from '../platform/postgres/server-version.ts';
import { tryMigratorLock } from './advisory-locks.ts';
import { buildIndexes, buildsConcurrently } from './concurrent-indexes.ts';

const folder = new URL('./migrations/', import.meta.url);

/** Has the names of the migrations that ran. Kysely's migrator made it, before this one took it over. */
const migrationsTable = `${ledgerSchema}.kysely_migration`;

/**
 * Brings the ledger's tables to this version, or to the migration `upTo`; safe to call from several processes at once, and while the service runs.
 * Returns the names of the migrations that ran: each is a transaction of its own, or {@link buildIndexes} beside the writers. Throws `migration_failed`,
 * naming the file, and `database_too_old`. An outage of the database is thrown as it is: the same call goes on later where it was interrupted.
 */
export async function migrateLedger(connectionString: string, { upTo = '9999' }: { upTo?: string } = {}): Promise<string[]> {
  await requireServerVersion(connectionString);
  const pool = createPool({ connectionString, max: 1, name: 'mintrail migrate' });
  try {
    const session = await pool.connect();
    try {
      await takeLock(session);
      return await runPending(session, upTo);
    } finally {
      // Ends the session, and with it the lock and what a failed migration has begun.
      session.release(true);
    }
  } finally {
    await pool.end();
  }
}

/** One migrator at a time. It asks again and again: an index that is built concurrently would wait for the end of a statement that waits for the lock. */
async function takeLock(session: PoolClient): Promise<void> {
  while (!(await session.query<{ held: boolean }>(tryMigratorLock)).rows[0]?.held) await delay(500);
}

async function runPending(session: PoolClient, upTo: string): Promise<string[]> {
  const done = await readDone(session);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).map((name) => name.replace('.sql', ''));
  const unknown = done.filter((name) => !files.includes(name));
  if (unknown.length > 0)
    throw new StopError({
      code: 'migration_failed',
      message: `The tables are of a newer version, which has the migrations ${unknown.join(', ')}: this version changes nothing of them`,
    });
  const pending = files.filter((name) => !done.includes(name) && name <= upTo).toSorted((one, other) => (one < other ? -1 : 1));
  for (const name of pending) {
    try {
      await run(session, name);
    } catch (error) {
      if (isDatabaseOutage(error)) throw error;
      throw new StopError({ code: 'migration_failed', message: `Migration ${name} failed: ${messageOf(error)}`, cause: error });
    }
  }
  return pending;
}

async function readDone(session: PoolClient): Promise<string[]> {
  const { rows } = await session.query<{ exists: boolean }>(`select to_regclass('${migrationsTable}') is not null as exists`);
  if (!rows[0]?.exists)
    await session.query(`create schema if not exists ${ledgerSchema};
      create table ${migrationsTable} (name varchar(255) primary key, timestamp varchar(255) not null)`);
  return (await session.query<{ name: string }>(`select name from ${migrationsTable}`)).rows.map(({ name }) => name);
}

async function run(session: PoolClient, name: string): Promise<void> {
  const text = await readFile(new URL(`${name}.sql`, folder), 'utf8');
  const isConcurrent = buildsConcurrently(text);
  if (isConcurrent) await buildIndexes(session, text);
  else await session.query(`begin;\n${text}`);
  await session.query(`insert into ${migrationsTable} values ($1, $2)`, [name, new Date().toISOString()]);
  if (!isConcurrent) await session.query('commit');
}
