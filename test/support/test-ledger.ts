import { sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createLedger, inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool, ledgerSchema } from '../../src/platform/database.ts';
import { nameTestDatabase } from './database.ts';

/** A ledger in a database of its own. */
export interface TestLedger {
  ledger: Ledger;
  pool: Pool;
  url: string;
}

/** The ledger of a test file: its hooks, which come before those of the file, create the database and drop it. */
export function testLedger(): TestLedger {
  const { url, create, drop } = nameTestDatabase();
  const pool = createPool({ connectionString: url });
  const ledger = createLedger(pool, wakesNobody);
  beforeAll(create);
  afterAll(async () => {
    await ledger.destroy();
    await drop();
  });
  return { ledger, pool, url };
}

/** Removes all rows but those that the schema comes with, which is quicker than another database, or than `truncate`. */
export async function emptyLedger(ledger: Ledger): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = ${ledgerSchema}::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(ledger);
  const emptied = rows.map(({ name }) => name).filter((name) => name !== 'migrations' && name !== 'order_id_secret');
  await inTransaction(ledger, async (tx) => {
    // Without the triggers, which keep the book from being emptied.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(emptied.map((name) => `delete from ${ledgerSchema}.${name}`).join(';')).execute(tx);
  });
}
