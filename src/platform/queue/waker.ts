import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Running } from '../loop.ts';
import { registeredCounter } from '../metrics/registered.ts';
import { closeOnce, type OpenQueue, openPool, openQueue, type QueueSettings, withinDeadline } from './backend.ts';
import { createQueueWorker } from './worker.ts';

/** Wakes the workers that have new work, in this process or in another one. A wake-up reaches one process; the workers' sweeps cover the others. */
export interface Waker extends Running {
  /**
   * Wakes all listeners that a queue has in this process. When it has none here, wakes the listener of one other process, or the
   * next that listens. Never throws and never waits. Wake-ups of a queue that come together become one.
   */
  wake(queue: string): void;
  /** Calls `listener` for every wake-up of a queue, until what it returns is closed. */
  listen(queue: string, listener: () => void): Running;
  /** Asks the backend to take a wake-up that nobody listens to. Resolves with why it did not, within {@link checkTimeoutMs}; with undefined when it did. */
  check(): Promise<string | undefined>;
}

/**
 * Wake-ups between processes go through BullMQ: in Redis when `REDIS_URL` is set, else in the ledger's PostgreSQL. The queue only
 * wakes; a wake-up that is lost costs time, never money, because every worker also sweeps the ledger. With a registry they are counted as metrics.
 */
export function createWaker(settings: QueueSettings, log: Log, registry?: Registry): Waker {
  const wakeUps = registry && registeredCounter(registry, 'mintrail_queue_wake_ups_total');
  const count: Count = (queue, result) => wakeUps?.inc({ queue, result });
  const sender = createSender(settings, log, count);
  const listeners = new Map<string, Set<() => void>>();
  return {
    wake(queue) {
      const localListeners = listeners.get(queue);
      if (localListeners === undefined) sender.send(queue);
      else for (const listener of localListeners) listener();
    },
    listen(queue, listener) {
      const localListeners = listeners.get(queue) ?? new Set();
      listeners.set(queue, localListeners.add(listener));
      const work = async () => {
        count(queue, 'received');
        listener();
      };
      const worker = createQueueWorker(settings, { queue, work, log });
      return {
        async close() {
          localListeners.delete(listener);
          if (localListeners.size === 0 && listeners.get(queue) === localListeners) listeners.delete(queue);
          await worker.close();
        },
      };
    },
    check: () => sender.check(),
    close: () => sender.close(),
  };
}

type Count = (queue: string, result: 'sent' | 'failed' | 'received') => void;

/** Sends wake-ups to other processes: of each queue the first at once, and those that come meanwhile as one, after the {@link debounceMs}. */
function createSender(settings: QueueSettings, log: Log, count: Count): Running & Pick<Waker, 'check'> & { send(queue: string): void } {
  const queues = new Map<string, OpenQueue>();
  const pending = new Map<string, PendingWakeUp>();
  const flushing = new AbortController();
  const closing = new AbortController();
  let closed = false;
  // All queues share two connections: a process may wake the lanes of every network.
  const pool = settings.redisUrl ? undefined : openPool(settings, log);
  const reach = (name: string): OpenQueue => {
    const queue = queues.get(name) ?? openQueue(settings, name, { log, pool });
    queues.set(name, queue);
    return queue;
  };
  /** A queue whose first connection failed may never make a second one: the next use opens another. */
  const drop = (name: string): void => {
    queues
      .get(name)
      ?.close()
      .catch(() => {});
    queues.delete(name);
  };
  const add = async (name: string): Promise<void> => {
    try {
      await addWakeUp(reach(name), name);
      count(name, 'sent');
    } catch (error) {
      count(name, 'failed');
      if (!closing.signal.aborted) log.warn({ queue: name, err: messageOf(error) }, 'wake-up not queued; the sweep will find the work');
      drop(name);
    }
  };
  const send = (name: string): void => {
    const before = pending.get(name);
    if (before !== undefined) {
      before.more += 1;
      return;
    }
    const pendingWakeUp = { more: 0, sent: Promise.resolve() };
    pending.set(name, pendingWakeUp);
    pendingWakeUp.sent = sendPending(name, pendingWakeUp);
  };
  const sendPending = async (name: string, pendingWakeUp: PendingWakeUp): Promise<void> => {
    let merged = 0;
    do {
      pendingWakeUp.more = 0;
      await add(name);
      const pauseMs = debounceMs(Math.max(merged, pendingWakeUp.more));
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal: flushing.signal, ref: false }).catch(() => {});
      merged = pendingWakeUp.more;
    } while (merged > 0);
    pending.delete(name);
  };
  /** Until nothing is pending: a wake-up that was held back follows the one before it. */
  const flush = async (): Promise<void> => {
    flushing.abort();
    while (pending.size > 0) await Promise.all([...pending.values()].map(({ sent }) => sent));
  };
  const check = async (): Promise<string | undefined> => {
    const timedOut = delay(checkTimeoutMs, 'no answer', { ref: false });
    try {
      return await Promise.race([addWakeUp(reach(checkQueue), checkQueue).then(() => undefined), timedOut]);
    } catch (error) {
      drop(checkQueue);
      return messageOf(error);
    }
  };
  return {
    check,
    send: (name) => {
      if (!closed) send(name);
    },
    close: closeOnce(async () => {
      closed = true;
      await Promise.race([flush(), delay(flushTimeoutMs, undefined, { ref: false })]);
      closing.abort();
      await withinDeadline(Promise.allSettled([...queues.values()].map((queue) => queue.close())).then(() => pool?.end()));
    }),
  };
}

/** Merged with a waiting wake-up; behind a running one, one more is kept, so that nothing committed meanwhile is overlooked. */
function addWakeUp(queue: OpenQueue, name: string): Promise<unknown> {
  return queue.add('wake', {}, { deduplication: { id: name, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true });
}

/** A wake-up that is being sent or was sent a moment ago. */
interface PendingWakeUp {
  /** Wake-ups of the same queue that came since: they are sent as one. */
  more: number;
  sent: Promise<void>;
}

/**
 * Milliseconds to wait before the next wake-up of a queue, by how many were merged into the last one. None were at rest, so nothing is delayed then. Under
 * a flood it is 250: a wake-up costs the database as much as some ten orders, and busy workers look for more work by themselves.
 */
function debounceMs(merged: number): number {
  return Math.min(25 * merged, 250);
}

/** A queue that nobody listens to; it holds one wake-up. */
const checkQueue = 'check';

/** How long {@link Waker.check} waits for an answer. */
const checkTimeoutMs = 5_000;

/** How long closing waits for wake-ups that are being sent: many times what they take. */
const flushTimeoutMs = 1_000;
