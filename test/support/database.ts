import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Creates a database of the caller's own, with all tables and no rows: a copy of the migrated template of `global-setup.ts`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { create, ...database } = nameTestDatabase();
  await create();
  return database;
}

/**
 * As {@link createTestDatabase}, of a database that is named already and created later. Copied file by file, it takes half of the processor time, and a third of
 * the time, that a copy by way of the write-ahead log does.
 */
export function nameTestDatabase(): TestDatabase & { create: () => Promise<void> } {
  const template = new URL(inject('templateUrl'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(template);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    create: () => asAdministrator(template, `create database ${name} template ${template.pathname.slice(1)} strategy file_copy`),
    drop: () => asAdministrator(template, `drop database if exists ${name} with (force)`),
  };
}

async function asAdministrator(server: URL, statement: string): Promise<void> {
  const url = new URL(server);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
