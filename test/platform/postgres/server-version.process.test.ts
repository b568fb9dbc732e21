import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testSecretsKey } from '../../support/test-sealer.ts';

let other: TestDatabase;

beforeAll(async () => {
  other = await createTestDatabase();
  const client = new Client({ connectionString: other.url });
  await client.connect();
  // A server that says of itself what PostgreSQL 14 says.
  await client.query(`
    create schema old;
    create function old.current_setting(name text) returns text language sql
      as $$ select case name when 'server_version_num' then '140017' when 'server_version' then '14.17' end $$;
    do $$ begin execute format('alter database %I set search_path = old, pg_catalog', current_database()); end $$;
  `);
  await client.end();
});
afterAll(() => other.drop());

const text = 'The server of DATABASE_URL is PostgreSQL 14.17; Mintrail needs 15 or newer\n(database_too_old)';

it.each([[['migrate']], [['api']], [['worker', '--chain', 'gnosis']], [['indexer', '--chain', 'gnosis']]])(
  '%j says which version it needs on an older one',
  async (args) => {
    const env = {
      DATABASE_URL: other.url,
      MINTRAIL_ENVIRONMENT: 'sandbox',
      SECRETS_KEY: testSecretsKey,
      GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`,
    };
    const { code, stderr } = await mintrail(args, env);
    expect(code).toBe(1);
    expect(stderr).toContain(text);
  },
);
