import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes, renderError } from '../../src/cli/render-error.ts';
import { migrateLedger } from '../../src/ledger/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

/** The advisory lock that the migrator holds while it migrates. */
const migratorLock = '3853314791062309107';

let database: TestDatabase;
let other: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  other = new Client({ connectionString: database.url });
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await database.drop();
});

describe('a migration', () => {
  it('that loses the database ends with the exit code of an outage, and the next one goes on', async () => {
    await other.query(`select pg_advisory_lock(${migratorLock})`);
    const migrated = migrateLedger(database.url).then(
      () => undefined,
      (error: unknown) => error,
    );
    const waiting = `from pg_stat_activity where application_name = 'mintrail migrate' and wait_event = 'advisory'`;
    await until('the migration waits', async () => ((await other.query(`select ${waiting}`)).rowCount === 1 ? true : undefined));
    await other.query(`select pg_terminate_backend(pid) ${waiting}`);
    expect(renderError(await migrated, [])).toBe(exitCodes.retry);
    await other.query(`select pg_advisory_unlock(${migratorLock})`);
    expect(await migrateLedger(database.url)).toEqual([]);
  });
});
