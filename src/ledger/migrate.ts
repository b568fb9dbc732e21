import { readFile, readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { createDatabase, createPool, isDatabaseOutage, ledgerSchema } from '../platform/database.ts';
import { StopError, messageOf } from '../platform/errors.ts';
import { requireServerVersion } from '../platform/postgres/server-version.ts';

const folder = new URL('./migrations/', import.meta.url);

/**
 * Brings the ledger's tables to this version; safe to call from several processes at once.
 * Returns the names of the migrations that ran. Throws `migration_failed`, naming the file, and `database_too_old`. An outage of the database is thrown
 * as it is: the migration under way is undone, and the same call may succeed later.
 */
export async function migrateLedger(connectionString: string): Promise<string[]> {
  await requireServerVersion(connectionString);
  const pool = createPool({ connectionString, max: 2, name: 'mintrail migrate' });
  const database = createDatabase<Record<string, never>>(pool);
  try {
    const { error, results } = await new Migrator({
      db: database,
      provider: { getMigrations },
      migrationTableSchema: ledgerSchema,
    }).migrateToLatest();
    const failed = results?.find((result) => result.status === 'Error');
    if (isDatabaseOutage(error)) throw error;
    if (error)
      throw new StopError({
        code: 'migration_failed',
        message: `Migration ${failed?.migrationName ?? '(none begun)'} failed: ${messageOf(error)}`,
        cause: error,
      });
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await database.destroy();
  }
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return Object.fromEntries(
    await Promise.all(
      files.map(async (name) => {
        const text = await readFile(new URL(name, folder), 'utf8');
        return [
          name.replace('.sql', ''),
          { up: async (database) => void (await sql.raw(text).execute(database)) } satisfies Migration,
        ] as const;
      }),
    ),
  );
}
