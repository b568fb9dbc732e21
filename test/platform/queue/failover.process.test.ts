import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLimitStores } from '../../../src/platform/limits/rate-limit-store.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createQueueWorker } from '../../../src/platform/queue/worker.ts';
import { createWaker } from '../../../src/platform/queue/waker.ts';
import { noRedis } from '../../support/processes/redis.ts';
import { portOf, type RedisPair, startRedisPair } from '../../support/processes/redis-pair.ts';
import { until } from '../../support/until.ts';
import { patience } from '../../support/patience.ts';

const settingsOf = (redisUrl: string) => ({
  databaseUrl: 'postgresql://nobody@127.0.0.1:1/none',
  databaseDirectUrl: undefined,
  redisUrl,
});

/** A process that sends, one that works and one that counts requests, all on one Redis. */
function clientsOf(redisUrl: string) {
  const log = createLog('silent');
  const work = vi.fn(async () => {});
  const waker = createWaker(settingsOf(redisUrl), log);
  const worker = createQueueWorker(settingsOf(redisUrl), { queue: 'failover', work, log });
  const limit = createLimitStores(settingsOf(redisUrl), log)('failover', 1_000_000);
  return {
    /** Returns once a wake-up that is sent now has reached the worker. */
    async works(): Promise<void> {
      const before = work.mock.calls.length;
      await vi.waitFor(() => {
        waker.wake('failover');
        expect(work.mock.calls.length).toBeGreaterThan(before);
      }, patience);
      await limit.take('somebody', 1);
    },
    close: async () => void (await Promise.all([worker, waker].map((part: Running) => part.close()))),
  };
}

describe.skipIf(noRedis !== undefined)('a Redis whose primary changes', () => {
  let pair: RedisPair;
  beforeAll(async () => void (pair = await startRedisPair()));
  afterAll(() => pair?.close());

  it('is followed behind one address: no client stays with the replica', async () => {
    const clients = clientsOf(pair.url);
    await clients.works();
    await pair.failOver();
    await clients.works();
    await until('no client is left on the replica', async () => (await pair.clientsOfReplica()).length === 0 || undefined);
    await clients.works();
    await clients.close();
  });

  it('is followed by connections that nobody uses', async () => {
    const clients = clientsOf(pair.url);
    await clients.works();
    await pair.failOver();
    await until('no client is left on the replica', async () => (await pair.clientsOfReplica()).length === 0 || undefined);
    await clients.close();
  });

  it('is followed as its Sentinel decides when the primary is killed', async () => {
    const [primary, replica] = [pair.primary(), pair.replica()];
    const sentinel = await startSentinel(portOf(primary));
    const clients = clientsOf(`redis+sentinel://127.0.0.1:${sentinel.port}/queues`);
    await clients.works();
    await until('the Sentinel knows the replica', async () => (await sentinel.replicas()) > 0 || undefined);
    await primary.kill();
    await clients.works();
    expect(await replica.ask((redis) => redis.role())).toEqual(expect.arrayContaining(['master']));
    await clients.close();
    await sentinel.close();
  });
});

/** A Sentinel that watches one primary, named `queues`, and decides alone. */
async function startSentinel(primary: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-sentinel-'));
  const port = await freePort();
  const file = path.join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    `port ${port}
bind 127.0.0.1
dir ${folder}
sentinel monitor queues 127.0.0.1 ${primary} 1
sentinel down-after-milliseconds queues 500
sentinel failover-timeout queues 5000
`,
  );
  const child: ChildProcess = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  const stopWithTests = (): void => void child.kill('SIGKILL');
  process.once('exit', stopWithTests);
  const { Redis } = await import('ioredis');
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 100 });
  client.on('error', () => {});
  return {
    port,
    replicas: async () => ((await client.call('SENTINEL', 'replicas', 'queues')) as unknown[]).length,
    async close() {
      process.off('exit', stopWithTests);
      client.disconnect();
      stopWithTests();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
