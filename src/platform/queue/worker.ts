import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { Running } from '../loop.ts';
import { closeOnce, openWorker, type QueueSettings, retryIntervalMs, withinDeadline } from './backend.ts';

/** What a worker of a queue does when it is woken. */
export interface WorkerOptions {
  queue: string;
  /** Called once per wake-up, never twice at the same time in one process. */
  work: () => Promise<void>;
  log: Log;
}

/** Calls `work` for every wake-up of a queue, one at a time. An error of `work` is logged; the sweep of the worker brings the next try. */
export function createQueueWorker(settings: QueueSettings, { queue, work, log }: WorkerOptions): Running {
  const process = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.error({ queue, err: error }, 'work failed; it will be tried again');
    }
  };
  const closing = new AbortController();
  const open = () => openWorker(settings, queue, { process, log, closing: closing.signal });
  let worker = open();
  const keepOpen = async (): Promise<void> => {
    // On PostgreSQL, a worker whose first connection failed never connects again: a new one replaces it.
    while (!closing.signal.aborted && !(await isReady(worker, closing.signal))) {
      worker.close(true).catch(() => {});
      await delay(retryIntervalMs, undefined, { signal: closing.signal }).catch(() => {});
      if (!closing.signal.aborted) worker = open();
    }
  };
  const opened = keepOpen();
  return {
    close: closeOnce(async () => {
      closing.abort();
      await opened;
      await withinDeadline(worker.close());
    }),
  };
}

/** Whether a worker reached its backend. Redis's client keeps trying by itself, so the answer may take as long as an outage. */
async function isReady(worker: { waitUntilReady(): Promise<unknown> }, aborted: AbortSignal): Promise<boolean> {
  const stopped = new Promise<boolean>((resolve) => aborted.addEventListener('abort', () => resolve(true), { once: true }));
  const ready = worker.waitUntilReady().then(
    () => true,
    () => false,
  );
  return Promise.race([ready, stopped]);
}
