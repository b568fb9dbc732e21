import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AddressInfo, createServer } from 'node:net';
import { createLog, type Log } from '../../../src/platform/log.ts';
import { createLimitStores } from '../../../src/platform/limits/rate-limit-store.ts';
import { createRateLimiter } from '../../../src/platform/limits/rate-limiter.ts';
import { noRedis, startTestRedis, type TestRedis } from '../../support/processes/redis.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { until } from '../../support/until.ts';

const database = testLedger();

/** Requests that several processes let through, each asked as often. */
async function letThrough(limit: number, open: () => ReturnType<typeof createLimitStores>, key: string): Promise<number> {
  const limiters = [1, 2, 3].map(() => createRateLimiter(open()('test', limit), limit));
  const asked = limiters.flatMap((limiter) => Array.from({ length: limit }, async () => limiter.take(key)));
  return (await Promise.all(asked)).filter((wait) => wait === 0).length;
}

function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const record = (...given: unknown[]) => void lines.push(String(given.at(-1)));
  return { lines, log: { warn: record, info: record } as unknown as Log };
}

describe.each([
  ['PostgreSQL', false],
  ['Redis', true],
])('a limit counted in %s', (_, isRedis) => {
  describe.skipIf(isRedis && noRedis !== undefined)('', () => {
    let redis: TestRedis | undefined;
    beforeAll(async () => void (isRedis && (redis = await startTestRedis())));
    afterAll(() => redis?.close());
    const open = (log = createLog('silent')) => createLimitStores({ redisUrl: redis?.url, databaseUrl: database.url }, log);

    it.each([1, 7, 100, 250, 1_000])('of %i is never passed by three processes together, and hardly missed', async (limit) => {
      const through = await letThrough(limit, open, `limit ${limit}`);
      expect(through).toBeLessThanOrEqual(limit);
      expect(through).toBeGreaterThanOrEqual(limit - 2 * Math.floor(limit / 100));
    });

    it('costs the store about a hundred questions, whatever the traffic', async () => {
      const store = open()('busy', 10_000);
      let questions = 0;
      const counting = { ...store, take: (key: string, count: number) => ((questions += 1), store.take(key, count)) };
      const limiter = createRateLimiter(counting, 10_000);
      let through = 0;
      for (let request = 0; request < 12_000; request += 1) if ((await limiter.take('one')) === 0) through += 1;
      expect(through).toBe(10_000);
      expect(questions).toBeLessThanOrEqual(101);
    });

    it('is passed by no process while requests are held, and what is given back may be taken again, once', async () => {
      const [first, second] = [createRateLimiter(open()('hold', 2), 2), createRateLimiter(open()('hold', 2), 2)];
      const held = [await first.hold('key'), await second.hold('key')];
      expect(held.map(({ waitMs }) => waitMs)).toEqual([0, 0]);
      const beyond = await second.hold('key');
      expect(beyond.waitMs).toBeGreaterThan(0);
      beyond.giveBack();
      expect(await second.take('key')).toBeGreaterThan(0);
      held[1]?.giveBack();
      expect(await second.take('key')).toBe(0);
      expect(await second.take('key')).toBeGreaterThan(0);
      expect(await first.take('key')).toBeGreaterThan(0);
    });
  });
});

describe.skipIf(noRedis !== undefined)('a store that is down', () => {
  it('refuses nobody: the process counts by itself, says so once, and says when the store is back', async () => {
    const redis = await startTestRedis();
    const { log, lines } = recordingLog();
    const limiter = createRateLimiter(createLimitStores({ redisUrl: redis.url, databaseUrl: database.url }, log)('test', 5), 5);
    expect(await limiter.take('before')).toBe(0);
    await redis.kill();
    for (const key of ['a', 'b', 'c', 'd']) expect(await limiter.take(key)).toBe(0);
    for (let request = 0; request < 4; request += 1) await limiter.take('a');
    expect(await limiter.take('a')).toBeGreaterThan(0);
    expect(lines).toEqual(['the rate limit store does not answer: each process counts by itself']);
    await redis.start();
    await until('the store is asked again', async () => {
      expect(await limiter.take(randomUUID())).toBe(0);
      return lines.length > 1 || undefined;
    });
    expect(lines.slice(1)).toEqual(['the rate limit store answers again']);
    await redis.close();
  });

  it('is not waited for when it is silent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`;
    const { log, lines } = recordingLog();
    const limiter = createRateLimiter(createLimitStores({ redisUrl: undefined, databaseUrl: url }, log)('test', 5), 5);
    expect(await limiter.take('key')).toBe(0);
    expect(lines).toHaveLength(1);
    silent.close();
  });
});
