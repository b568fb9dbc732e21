import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../../src/platform/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('a pooled connection', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.url, max: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const preparedTexts = async () => {
    const { rows } = await pool.query<{ statement: string }>('select statement from pg_prepared_statements');
    return rows.map(({ statement }) => statement);
  };

  it('prepares a statement with parameters when it is sent again', async () => {
    const text = 'select $1::int + 1 as sum';
    await pool.query(text, [1]);
    expect(await preparedTexts()).not.toContain(text);
    for (const value of [2, 3]) expect((await pool.query(text, [value])).rows).toEqual([{ sum: value + 1 }]);
    expect((await preparedTexts()).filter((prepared) => prepared === text)).toHaveLength(1);
  });

  it('does not prepare statements without parameters', async () => {
    for (let time = 0; time < 3; time++) await pool.query('select 1 as constant', []);
    expect(await preparedTexts()).not.toContain('select 1 as constant');
  });

  it('sends a statement unprepared when its columns have changed', async () => {
    await pool.query('create table changing (value int)');
    const client = await pool.connect();
    const read = () => client.query('select * from changing where value is distinct from $1', [0]);
    await read();
    await read();
    await client.query('alter table changing alter value type bigint');
    expect((await read()).rows).toEqual([]);
    client.release();
  });

  it('keeps no more than 300 prepared', async () => {
    for (let number = 0; number < 320; number++) for (const value of [1, 2]) await pool.query(`select $1::int + ${number}`, [value]);
    expect((await preparedTexts()).length).toBeLessThanOrEqual(300);
    expect((await pool.query('select $1::int + 319 as sum', [1])).rows).toEqual([{ sum: 320 }]);
  });
});
