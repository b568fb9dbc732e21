import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { createPool, isDatabaseOutage, ledgerSchema } from '../platform/database.ts';
import { StopError, messageOf } from '../platform/errors.ts';
import { requireServerVersion } from '../platform/postgres/server-version.ts';
import { refuseBesideOlder } from './running-versions.ts';
import { fingerprintOf, ledgerFiles, migrationNames, readSchemaFile, type SchemaFiles } from './schema-files.ts';

/** What ran, and the fingerprint of the schema that it has led to. */
const migrationsTable = `${ledgerSchema}.migrations`;

/** The name under which the files of the schema are recorded. Those of migrations sort behind it. */
const wholeSchema = '0000-schema';

/** Asks for the lock of the migrator, which the session then holds until it ends. */
const tryMigratorLock = `select pg_try_advisory_lock(hashtextextended('migrate', 0)) as held`;

/**
 * Brings the ledger's tables to this version; safe to call from several processes at once, and while the service runs. An empty database gets the schema of
 * the files in one transaction. Any other gets the migrations that it lacks, each in a transaction of its own, or by {@link buildIndexes} beside the writers.
 * Returns the names of what ran. Throws `migration_failed`, naming the file, and `database_too_old`. An outage of the database is thrown as it is: the same
 * call goes on later where it was interrupted.
 */
export async function migrateLedger(connectionString: string, files: SchemaFiles = ledgerFiles): Promise<string[]> {
  await requireServerVersion(connectionString);
  const pool = createPool({ connectionString, max: 1, name: 'mintrail migrate' });
  try {
    const session = await pool.connect();
    try {
      await takeLock(session);
      return (await hasTables(session)) ? await runPending(session, files) : await makeTables(session, files);
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

async function hasTables(session: PoolClient): Promise<boolean> {
  const { rows } = await session.query<{ made: boolean; recorded: boolean }>(`
    select to_regclass('${migrationsTable}') is not null as recorded,
      exists (select from pg_tables where schemaname = '${ledgerSchema}') as made`);
  if (rows[0]?.made && !rows[0].recorded) throw otherState(`has tables in the schema ${ledgerSchema}, but not ${migrationsTable}`);
  return rows[0]?.recorded ?? false;
}

async function makeTables(session: PoolClient, files: SchemaFiles): Promise<string[]> {
  await session.query(`begin;
    create schema if not exists ${ledgerSchema};
    create table ${migrationsTable} (name text primary key, fingerprint text not null, at timestamptz not null default now());
    comment on table ${migrationsTable} is 'The migrations that ran, and the fingerprint of the schema after each.'`);
  for (const name of files.names) await naming(`The schema's file ${name}.sql`, () => session.query(readSchemaFile(files, name)));
  await record(session, [wholeSchema, ...migrationNames(files)], fingerprintOf(files));
  await session.query('commit');
  return [wholeSchema];
}

async function runPending(session: PoolClient, files: SchemaFiles): Promise<string[]> {
  const done = await session.query<{ name: string; fingerprint: string }>(`select name, fingerprint from ${migrationsTable} order by name`);
  const names = migrationNames(files);
  const unknown = done.rows.filter(({ name }) => name !== wholeSchema && !names.includes(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new StopError({
      code: 'migration_failed',
      message: `The tables are of a newer version, which has the migrations ${unknown.join(', ')}: this version changes nothing of them`,
    });
  const pending = names.filter((name) => !done.rows.some((row) => row.name === name));
  const texts = pending.map((name) => readSchemaFile(files, `migrations/${name}`));
  const fingerprints = [...texts.map((text, index) => startOf(text, pending[index] ?? '')), fingerprintOf(files)];
  const current = done.rows.at(-1)?.fingerprint;
  if (current !== fingerprints[0]) throw otherState(`has the schema ${current}, and this version begins with ${fingerprints[0]}`);
  for (const [index, name] of pending.entries())
    await naming(`Migration ${name}`, () => run(session, { name, text: texts[index] ?? '', fingerprint: fingerprints[index + 1] ?? '' }));
  return pending;
}

/** The fingerprint of the schema that a migration changes: it stands in its line `-- from: 0123456789ab`. */
function startOf(text: string, name: string): string {
  const [, fingerprint] = /^-- from: ([0-9a-f]{12})$/m.exec(text) ?? [];
  if (fingerprint === undefined)
    throw new StopError({
      code: 'migration_failed',
      message: `Migration ${name} has no line \`-- from: …\` with the fingerprint of the schema that it changes`,
    });
  return fingerprint;
}

async function run(session: PoolClient, { name, text, fingerprint }: { name: string; text: string; fingerprint: string }): Promise<void> {
  await refuseBesideOlder(session, text);
  const isConcurrent = buildsConcurrently(text);
  if (isConcurrent) await buildIndexes(session, text);
  else await session.query(`begin;\n${text}`);
  await record(session, [name], fingerprint);
  if (!isConcurrent) await session.query('commit');
}

async function record(session: PoolClient, names: readonly string[], fingerprint: string): Promise<void> {
  await session.query(`insert into ${migrationsTable} (name, fingerprint) select unnest($1::text[]), $2`, [names, fingerprint]);
}

async function naming(subject: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    throw new StopError({ code: 'migration_failed', message: `${subject} failed: ${messageOf(error)}`, cause: error });
  }
}

/** No release has made the tables, and so no migration leads from them to this version. */
function otherState(difference: string): StopError {
  return new StopError({
    code: 'migration_failed',
    message: `The database was made by another state of the schema than a release: it ${difference}. Migrate with the version that made it, or make a new database (sandbox: \`npm start -- --fresh\`)`,
  });
}

/** Whether a migration changes indexes beside the writers of their tables. It does nothing else then: it cannot run in a transaction. */
function buildsConcurrently(migration: string): boolean {
  return /\bindex\s+concurrently\b/i.test(migration);
}

/**
 * Runs a migration that {@link buildsConcurrently}, each statement by itself. After a crash the same call goes on: statements say `if exists` or
 * `if not exists`, and an index that was left unfinished, which PostgreSQL keeps as invalid, is dropped and built again.
 */
async function buildIndexes(session: PoolClient, migration: string): Promise<void> {
  for (const statement of statementsOf(migration)) {
    const [, index] = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i.exec(statement) ?? [];
    if (index !== undefined) await dropInvalid(session, index);
    await session.query(statement);
  }
}

/** The statements without comments. No statement about an index has a semicolon within. */
function statementsOf(migration: string): string[] {
  return migration
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

async function dropInvalid(session: PoolClient, index: string): Promise<void> {
  const { rowCount } = await session.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
    `${ledgerSchema}.${index}`,
  ]);
  if (rowCount) await session.query(`drop index concurrently ${ledgerSchema}.${index}`);
}
