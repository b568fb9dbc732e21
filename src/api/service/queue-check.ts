import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Running } from '../../platform/loop.ts';
import type { Settings } from '../../platform/settings.ts';
import type { HealthCheck, HealthResult } from '../api.ts';

/** Health check of the queues, in Redis or PostgreSQL. */
export function createQueueCheck({ redisUrl }: Pick<Settings, 'redisUrl'>, pool: Pool): HealthCheck & Running {
  if (redisUrl === undefined) return { names: ['queue'], check: async () => [await checkPostgres(pool)], close: async () => {} };
  const redis = new Redis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 1 });
  // The check reports failures; without a listener ioredis would print every lost connection.
  redis.on('error', () => {});
  return {
    names: ['queue'],
    check: async () => [{ name: 'queue', ok: (await redis.ping()) === 'PONG' }],
    close: async () => redis.disconnect(),
  };
}

async function checkPostgres(pool: Pool): Promise<HealthResult> {
  const { rowCount } = await pool.query(`select from pg_namespace where nspname = 'bullmq'`);
  return rowCount === 1 ? { name: 'queue', ok: true } : { name: 'queue', ok: false, detail: 'the queues are not migrated' };
}
