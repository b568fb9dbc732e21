import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrateLedger } from '../../src/schema/migrate.ts';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { migrateQueue } from '../../src/platform/queue/backend.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the migrated database from which every test's own is cloned. */
    templateUrl: string;
  }
}

const template = 'mintrail_template';

/** Starts one PostgreSQL for the whole run, that of `POSTGRES_BIN` if it is set, with one migrated database to clone; nothing when only unit tests run. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.projects.every(({ name }) => name === 'unit')) return undefined;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-test-'));
  // Root's server runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, bin: process.env['POSTGRES_BIN'] });
  const client = new Client({ connectionString: postgres.url('postgres') });
  await client.connect();
  await client.query(`create database ${template}`);
  await client.end();
  const templateUrl = postgres.url(template);
  await migrateLedger(templateUrl);
  await migrateQueue({ databaseUrl: templateUrl, redisUrl: undefined });
  project.provide('templateUrl', templateUrl);
  return async () => {
    await postgres.close();
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  };
}
