import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../../../sandbox/postgres/postgres-home.ts';
import { migrateQueue } from '../../../src/platform/queue/backend.ts';
import { noRedis, startTestRedis } from '../../support/processes/redis.ts';

/** Where queues live in a test, with a switch for outages. */
export interface QueueBackend {
  settings: { databaseUrl: string; redisUrl: string | undefined };
  stop(): Promise<void>;
  start(): Promise<void>;
  /** How much lies there: rows, or elements of keys. */
  stored(): Promise<number>;
  close(): Promise<void>;
}

/** One of the backends that the same tests run on. */
export interface BackendKind {
  name: string;
  open: () => Promise<QueueBackend>;
  /** Why this machine does not have it. */
  missing: string | undefined;
}

/** A PostgreSQL that this test may stop, unlike the one that all tests share. */
async function openPostgres(): Promise<QueueBackend> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-queue-'));
  // Root's server runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const start = () => startEmbeddedPostgres({ dataDir, durable: false });
  let server = await start();
  const settings = { databaseUrl: server.url('postgres'), redisUrl: undefined };
  await migrateQueue(settings);
  return {
    settings,
    stop: () => server.close(),
    async start() {
      server = await start();
    },
    async stored() {
      const client = new Client({ connectionString: settings.databaseUrl });
      await client.connect();
      const { rows } = await client.query<{ count: number }>(
        `select (select count(*) from bullmq.job) + (select count(*) from bullmq.job_log) + (select count(*) from bullmq.event)
           + (select count(*) from bullmq.dedup) + (select count(*) from bullmq.metrics) as count`,
      );
      await client.end();
      return Number(rows[0]?.count);
    },
    async close() {
      await server.close();
      removePostgresHome(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openRedis(): Promise<QueueBackend> {
  const redis = await startTestRedis();
  return {
    // No database at all: nothing of the queues may need one.
    settings: { databaseUrl: 'postgresql://nobody@127.0.0.1:1/none', redisUrl: redis.url },
    start: () => redis.start(),
    stop: () => redis.kill(),
    stored: () => redis.stored(),
    close: () => redis.close(),
  };
}

export const postgres: BackendKind = { name: 'PostgreSQL', open: openPostgres, missing: undefined };

export const redis: BackendKind = { name: 'Redis', open: openRedis, missing: noRedis };
