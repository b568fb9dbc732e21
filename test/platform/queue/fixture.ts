import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, type Mock, vi } from 'vitest';
import { createLog, type Log } from '../../../src/platform/log.ts';
import { createQueueWorker, createWaker, type Waker } from '../../../src/platform/queue.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { noRedis } from '../../support/redis.ts';
import { postgresBackend, type QueueBackend, redisBackend } from './backend.ts';

/** What a test of the queues has: one backend for all, and a queue, a waker and a log of its own. */
export interface QueueFixture {
  backend: QueueBackend;
  queue: string;
  waker: Waker;
  log: Log;
  /** Closes it after the test. */
  opened: <T extends Running>(part: T) => T;
  /** A worker whose runs are counted. */
  startWorker: (work?: () => Promise<void>) => { work: Mock; worker: Running };
}

const backends = [
  { name: 'PostgreSQL', open: postgresBackend, missing: undefined },
  { name: 'Redis', open: redisBackend, missing: noRedis },
];

/** Describes the queues once for every backend that is found on this machine. */
export function describeQueues(what: string, tests: (fixture: QueueFixture) => void): void {
  for (const { missing } of backends) if (missing) console.warn(missing);
  for (const { name, open, missing } of backends)
    describe.skipIf(missing)(`${what} in ${name}`, () => {
      let parts: Running[] = [];
      const keep = <T extends Running>(part: T): T => {
        parts.push(part);
        return part;
      };
      const fixture = {} as QueueFixture;
      beforeAll(async () => {
        fixture.backend = await open();
      });
      afterAll(() => fixture.backend?.close());
      beforeEach(() => {
        const log = createLog('silent');
        vi.spyOn(log, 'warn');
        vi.spyOn(log, 'error');
        const queue = `test-${randomUUID()}`;
        const startWorker = (work: () => Promise<void> = async () => {}) => {
          const counted = vi.fn(work);
          return { work: counted, worker: keep(createQueueWorker(fixture.backend.settings, { queue, work: counted, log })) };
        };
        Object.assign(fixture, { queue, log, opened: keep, startWorker, waker: keep(createWaker(fixture.backend.settings, log)) });
      });
      afterEach(async () => {
        await Promise.all(parts.map((part) => part.close()));
        parts = [];
      });
      tests(fixture);
    });
}

/** Long enough for any wake-up that is on its way to arrive. */
export const quiet = () => delay(700);

/** Waits until the work has run so many times. */
export const runs = (work: Mock, times: number) =>
  vi.waitFor(() => expect(work.mock.calls.length).toBe(times), { timeout: 20_000, interval: 20 });
