import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLimitStores } from '../../../src/platform/limits/rate-limit-store.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createQueueWorker } from '../../../src/platform/queue/worker.ts';
import { createWaker } from '../../../src/platform/queue/waker.ts';
import { noRedis } from '../../support/processes/redis.ts';
import { type RedisPair, startRedisPair } from '../../support/processes/redis-pair.ts';
import { type SentinelPair, startSentinelPair } from '../../support/processes/sentinel-pair.ts';
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

  it('is followed behind one address, also by connections that nobody uses: no client stays with the replica', async () => {
    const clients = clientsOf(pair.url);
    const followed = () => until('no client is left on the replica', async () => (await pair.clientsOfReplica()).length === 0 || undefined);
    await clients.works();
    await pair.failOver();
    await followed();
    await clients.works();
    await pair.failOver();
    await clients.works();
    await followed();
    await clients.works();
    await clients.close();
  });
});

describe.skipIf(noRedis !== undefined)('a Redis with Sentinels', () => {
  let pair: SentinelPair;
  beforeEach(async () => void (pair = await startSentinelPair()));
  afterEach(() => pair?.close());

  it('is followed when the primary is killed', async () => {
    const clients = clientsOf(pair.url);
    await clients.works();
    const [first, second] = pair.servers;
    await first.kill();
    await clients.works();
    expect(await second.ask((redis) => redis.role())).toEqual(expect.arrayContaining(['master']));
    await clients.close();
  });

  it('is followed when the primary is frozen, and has no client when it comes back as a replica', async () => {
    const clients = clientsOf(pair.url);
    await clients.works();
    const [first] = pair.servers;
    first.signal('SIGSTOP');
    await clients.works();
    first.signal('SIGCONT');
    await until('no client is left on the replica', () => pair.isFollowed());
    await clients.works();
    await clients.close();
  });

  it('is reached while the first Sentinel is frozen', async () => {
    const second = await pair.addSentinel();
    pair.sentinel.signal('SIGSTOP');
    const clients = clientsOf(`redis+sentinel://127.0.0.1:${pair.sentinel.port},127.0.0.1:${second.port}/queues`);
    await clients.works();
    pair.sentinel.signal('SIGCONT');
    await clients.close();
  });
});
