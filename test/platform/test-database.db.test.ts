import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe("a test's own database", () => {
  const databases: TestDatabase[] = [];
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });

  it('has the ledger and the queues, and shares no row with another', async () => {
    databases.push(...(await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()])));
    const [first, second] = await Promise.all(databases.slice(0, 2).map((database) => connect(database.url)));
    await first?.query(`insert into ledger.token_sequences (chain, token, next) values ('chiado', '0x1', 1)`);
    expect((await second?.query('select * from ledger.token_sequences'))?.rows).toEqual([]);
    expect((await second?.query(`select 1 from pg_namespace where nspname = 'bullmq'`))?.rowCount).toBe(1);
    await Promise.all([first?.end(), second?.end()]);
  });
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}
