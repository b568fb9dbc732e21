import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, type Mock, vi } from 'vitest';
import { createLog, type Log } from '../../../src/platform/log.ts';
import { registeredCounter } from '../../../src/platform/metrics/registered.ts';
import { createQueueWorker } from '../../../src/platform/queue/worker.ts';
import { createWaker, type Waker } from '../../../src/platform/queue/waker.ts';
import type { Running } from '../../../src/platform/loop.ts';
import type { BackendKind, QueueBackend } from './backend.ts';
import { patience } from '../../support/patience.ts';

/** What a test of the queues has: one backend for all, and a queue, a waker and a log of its own. */
export interface QueueFixture {
  backend: QueueBackend;
  queue: string;
  waker: Waker;
  /** A waker in another process, and how many wake-ups it has brought to the backend. */
  otherWaker: () => { waker: Waker; sent: () => Promise<number> };
  log: Log;
  /** Closes it after the test. */
  opened: <T extends Running>(part: T) => T;
  /** A worker whose runs are counted. */
  startWorker: (work?: () => Promise<void>) => { work: Mock; worker: Running };
}

/** Describes the queues on one backend; where the machine does not have it, the tests are left out. */
export function describeQueues({ name, open, missing }: BackendKind, tests: (fixture: QueueFixture) => void): void {
  if (missing !== undefined) console.warn(missing);
  describe.skipIf(missing !== undefined)(`in ${name}`, () => tests(setUpQueues(open)));
}

/** Registers the hooks that open and close the backend and, for each test, what runs on it. */
function setUpQueues(open: () => Promise<QueueBackend>): QueueFixture {
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
    const otherWaker = () => {
      const registry = new Registry();
      const waker = keep(createWaker(fixture.backend.settings, log, registry));
      const sent = async () => (await registeredCounter(registry, 'mintrail_queue_wake_ups_total').get()).values[0]?.value ?? 0;
      return { waker, sent };
    };
    Object.assign(fixture, { otherWaker, queue, log, opened: keep, startWorker, waker: keep(createWaker(fixture.backend.settings, log)) });
  });
  afterEach(async () => {
    await Promise.all(parts.map((part) => part.close()));
    parts = [];
  });
  return fixture;
}

/** Long enough for any wake-up that is on its way to arrive. */
export const quiet = () => delay(700);

/** Waits until the work has run so many times. */
export const runs = (work: Mock, times: number) => vi.waitFor(() => expect(work.mock.calls.length).toBe(times), patience);
