import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { migrateLedger } from '../src/schema/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../sandbox/postgres/postgres-home.ts';
import { migrateQueue } from '../src/platform/queue/backend.ts';
import { noRedis, startTestRedis } from '../test/support/processes/redis.ts';
import { type SleepingWorkers, startSleepingWorkers } from '../test/support/sleeping-workers.ts';
import { judged, print } from './report.ts';

/** As many transactions as a lane has in flight at most, less one to warm up: the chain makes no blocks here. */
const samples = 15;

/** From the commit that settles a burn to what follows from it, in milliseconds. */
const wantedMs = 100;

/** Between two samples, so that each finds the workers asleep. */
const pauseMs = 100;

/** How long it takes from a settled burn to the mint on another network and to the payout, when nothing but a wake-up leads there. */
export async function benchWakeUps(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const redis = noRedis === undefined ? await startTestRedis() : undefined;
  try {
    await benchBackend('PostgreSQL', await createLedgerDatabase(postgres, 'wake_ups'), {});
    if (redis) await benchBackend('Redis', await createLedgerDatabase(postgres, 'wake_ups_redis'), { REDIS_URL: redis.url });
  } finally {
    await redis?.close();
    await postgres.close();
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A database for one chain: its ledger knows the nonces that were used there. */
async function createLedgerDatabase(postgres: EmbeddedPostgres, name: string): Promise<string> {
  const client = new Client({ connectionString: postgres.url('postgres') });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const databaseUrl = postgres.url(name);
  await migrateLedger(databaseUrl);
  await migrateQueue({ databaseUrl, redisUrl: undefined });
  return databaseUrl;
}

async function benchBackend(name: string, databaseUrl: string, env: Record<string, string>): Promise<void> {
  const at = await startSleepingWorkers(databaseUrl, env);
  try {
    print(`burn settled, queues in ${name}, sweeps switched off`, [
      row('to the mint in the pool of the other network’s node', await latencies(at, 'chiado', () => at.transactionsInPool())),
      row('to the payout handed to the bank', await latencies(at, 'bank', () => at.paymentsMade())),
    ]);
  } finally {
    await at.close();
  }
}

async function latencies(at: SleepingWorkers, to: 'chiado' | 'bank', count: () => Promise<number>): Promise<number[]> {
  const measured: number[] = [];
  for (let sample = 0; sample <= samples; sample += 1) {
    const { leg } = await at.redemption(to);
    const before = await count();
    await delay(pauseMs);
    await at.settleBurn(at.waking, leg);
    const begun = performance.now();
    while ((await count()) === before) await delay(1);
    measured.push(performance.now() - begun);
  }
  // The first one warmed everything up.
  return measured.slice(1).sort((one, other) => one - other);
}

function row(name: string, sorted: number[]): [string, string] {
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const most = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  const text = `median ${median.toFixed(0)} ms, 90th percentile ${most.toFixed(0)} ms, longest ${(sorted.at(-1) ?? 0).toFixed(0)} ms`;
  return [name, judged(text, most <= wantedMs, `nine of ten within ${wantedMs} ms`)];
}
