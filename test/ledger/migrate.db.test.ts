import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes, renderError } from '../../src/cli/render-error.ts';
import { migrateLedger } from '../../src/ledger/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

/** The advisory lock that the migrator holds while it migrates. */
const migratorLock = '3853314791062309107';

let database: TestDatabase;
let other: Client;

beforeEach(async () => {
  database = await createTestDatabase();
  other = await connect();
});

afterEach(async () => {
  await other.end();
  await database.drop();
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: database.url, options: '-c search_path=ledger' });
  await client.connect();
  return client;
}

const writes = `update orders set memo = '' where false`;

/** A transaction that has written orders: no index of them is finished for as long as it is open. */
async function beginWriting(): Promise<Client> {
  const writer = await connect();
  await writer.query(`begin; ${writes}`);
  return writer;
}

/** Migrates in the background; the promise is that of the error, or of the names. */
function migrate(): Promise<unknown> {
  return migrateLedger(database.url).catch((error: unknown) => error);
}

/** Waits until the migrator is at a statement, and returns its process. */
function migratorAt(statement: string): Promise<number> {
  return until(`the migrator is at ${statement}`, async () => {
    const { rows } = await other.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'mintrail migrate' and query like $1`,
      [`%${statement}%`],
    );
    return rows[0]?.pid;
  });
}

async function isValid(index: string): Promise<boolean | undefined> {
  const { rows } = await other.query<{ valid: boolean }>('select indisvalid as valid from pg_index where indexrelid = to_regclass($1)', [
    index,
  ]);
  return rows[0]?.valid;
}

/** Takes the database back to before an index of orders was built. */
async function forgetIndex(): Promise<void> {
  await other.query(`drop index orders_amount; delete from kysely_migration where name = '0081-orders-of-operators'`);
}

describe('a migration', () => {
  it('that loses the database ends with the exit code of an outage, and the next one goes on', async () => {
    await other.query(`select pg_advisory_lock(${migratorLock})`);
    const migrated = migrate();
    await other.query('select pg_terminate_backend($1)', [await migratorAt('pg_try_advisory_lock')]);
    expect(renderError(await migrated, [])).toBe(exitCodes.retry);
    await other.query(`select pg_advisory_unlock(${migratorLock})`);
    expect(await migrate()).toEqual([]);
  });

  it('lets writers of the table go on while it builds an index, and another migrator wait', async () => {
    await forgetIndex();
    const writer = await beginWriting();
    try {
      const both = [migrate(), migrate()];
      await migratorAt('create index concurrently if not exists orders_amount');
      // Behind an index that is not built concurrently, this statement would wait for the transaction that is open.
      await other.query(writes);
      expect(await isValid('orders_amount')).toBe(false);
      await writer.query('commit');
      expect((await Promise.all(both)).flat()).toEqual(['0081-orders-of-operators']);
      expect(await isValid('orders_amount')).toBe(true);
    } finally {
      await writer.end();
    }
  });

  it('that was killed while it built an index builds it again', async () => {
    await forgetIndex();
    const writer = await beginWriting();
    const killed = migrate();
    await other.query('select pg_terminate_backend($1)', [await migratorAt('create index concurrently if not exists orders_amount')]);
    expect(renderError(await killed, [])).toBe(exitCodes.retry);
    await writer.end();
    expect(await isValid('orders_amount')).toBe(false);
    expect(await migrate()).toEqual(['0081-orders-of-operators']);
    expect(await isValid('orders_amount')).toBe(true);
  });

  it('that fails changes nothing, names itself, and those before it stay', async () => {
    await other.query('drop schema ledger, partitions, archive cascade');
    await migrateLedger(database.url, { upTo: '0083-invitations-in-two-halves' });
    // What 0084 is about to add to the table of sessions, before its trigger for another table.
    await other.query('drop table operator_recovery_codes');
    await expect(migrateLedger(database.url)).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('0084-own-factors-of-operators failed: relation "operator_recovery_codes" does not exist'),
    });
    const { rows } = await other.query(`select max(name) as newest, (select count(*)::int from information_schema.columns
      where table_schema = 'ledger' and table_name = 'operator_sessions' and column_name = 'proven_at') as added from kysely_migration`);
    expect(rows).toEqual([{ newest: '0083-invitations-in-two-halves', added: 0 }]);
  });

  it('of an older version changes nothing of newer tables', async () => {
    await other.query(`insert into kysely_migration values ('9998-tomorrow', '')`);
    await expect(migrateLedger(database.url)).rejects.toMatchObject({
      message: expect.stringContaining('newer version, which has the migrations 9998-tomorrow'),
    });
  });
});
