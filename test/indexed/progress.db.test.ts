import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { areRead } from '../../src/indexed/progress.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { testLedger } from '../support/test-ledger.ts';

const { ledger, pool } = testLedger();

const viewOf = (tables: string) => `create view idx_chiado.outcome as select * from ${tables}.outcome`;

it('whose tables the views of a chain read is said also while Ponder replaces the views', async () => {
  for (const schema of ['idx_chiado', 'idx_chiado_1', 'idx_chiado_2']) await pool.query(`create schema ${schema}`);
  for (const tables of ['idx_chiado_1', 'idx_chiado_2']) await pool.query(`create table ${tables}.outcome (order_id text)`);
  expect(await areRead(ledger, 'chiado', 'idx_chiado_1')).toBe(false);
  await pool.query(viewOf('idx_chiado_1'));
  const look = (database: typeof ledger) =>
    Promise.all(['idx_chiado_1', 'idx_chiado_2'].map((tables) => areRead(database, 'chiado', tables)));
  expect(await look(ledger)).toEqual([true, false]);
  // A statement sees the catalogue of its beginning, in which the view is still there.
  await inTransaction(ledger, async (tx) => {
    await sql`set transaction isolation level repeatable read`.execute(tx);
    await sql`select from pg_class limit 1`.execute(tx);
    await pool.query(`drop view idx_chiado.outcome; ${viewOf('idx_chiado_2')}; drop schema idx_chiado_1 cascade`);
    expect(await areRead(tx, 'chiado', 'idx_chiado_1')).toBe(true);
  });
  expect(await look(ledger)).toEqual([false, true]);
});
