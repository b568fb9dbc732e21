import {
  createPostgresBackend,
  createRedisBackend,
  type JobsOptions,
  type PostgresConnectionOptions,
  runMigrations,
  withBackend,
} from 'bullmq';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';
import type { Running } from './loop.ts';
import type { Settings } from './settings.ts';

/** PostgreSQL schema of the queues, when they live there. */
const schema = 'bullmq';

type QueueSettings = Pick<Settings, 'databaseUrl' | 'redisUrl'>;

/** Carries wake-ups from whoever makes work to whoever does it, within a process and between processes. */
export interface Waker extends Running {
  /**
   * Wakes the listeners that a queue has in this process. When it has none here, wakes one listener in another process, or the
   * next that comes. Never throws and never waits. Wake-ups that come together become one.
   */
  wake(queue: string): void;
  /** Calls `listener` for every wake-up of a queue, until what it returns is closed. */
  listen(queue: string, listener: () => void): Running;
}

export interface WorkerOptions {
  queue: string;
  /** Called once per wake-up, never twice at the same time in one process. */
  work: () => Promise<void>;
  log: Log;
}

/** Creates what the queues need in PostgreSQL. With Redis there is nothing to create. */
export async function migrateQueue(settings: QueueSettings): Promise<void> {
  if (settings.redisUrl) return;
  const client = new Client({ connectionString: settings.databaseUrl });
  // A lost connection fails the query under way; without a listener it would end the process as well.
  client.on('error', () => {});
  try {
    await client.connect();
    await runMigrations(client, schema);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Wake-ups between processes go through BullMQ: in Redis when `REDIS_URL` is set, else in the ledger's PostgreSQL. The queue only
 * wakes; a wake-up that is lost costs time, never money, because every worker also sweeps the ledger.
 */
export function createWaker(settings: QueueSettings, log: Log): Waker {
  const sender = createSender(settings, log);
  const listeners = new Map<string, Set<() => void>>();
  return {
    wake(queue) {
      const here = listeners.get(queue);
      if (here === undefined) sender.send(queue);
      else for (const listener of here) listener();
    },
    listen(queue, listener) {
      const here = listeners.get(queue) ?? new Set();
      listeners.set(queue, here.add(listener));
      const worker = createQueueWorker(settings, { queue, work: async () => listener(), log });
      return {
        async close() {
          here.delete(listener);
          if (here.size === 0 && listeners.get(queue) === here) listeners.delete(queue);
          await worker.close();
        },
      };
    },
    close: () => sender.close(),
  };
}

/** Sends wake-ups to other processes, at most one per queue and {@link wakeDebounceMs}. */
function createSender(settings: QueueSettings, log: Log): Running & { send(queue: string): void } {
  const queues = new Map<string, OpenQueue>();
  const pending = new Map<string, { again: boolean; sent: Promise<void> }>();
  const flushing = new AbortController();
  const closing = new AbortController();
  let closed = false;
  // All queues share two connections: a process may wake the lanes of every network.
  const pool = settings.redisUrl ? undefined : openPool(settings, log);
  const reach = (name: string): OpenQueue => {
    const queue = queues.get(name) ?? openQueue(settings, name, { log, closing: closing.signal, pool });
    queues.set(name, queue);
    return queue;
  };
  const add = async (name: string): Promise<void> => {
    const queue = reach(name);
    try {
      // Merged with a waiting wake-up; behind a running one, one more is kept, so that nothing committed meanwhile is overlooked.
      await queue.add('wake', {}, { deduplication: { id: name, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true });
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ queue: name, err: messageOf(error) }, 'wake-up not queued; the sweep will find the work');
      // On PostgreSQL, a queue whose first connection failed never makes a second one.
      queue.close().catch(() => {});
      queues.delete(name);
    }
  };
  const send = (name: string): void => {
    const before = pending.get(name);
    if (before !== undefined) {
      before.again = true;
      return;
    }
    const wish = { again: false, sent: Promise.resolve() };
    pending.set(name, wish);
    wish.sent = sendPending(name, wish);
  };
  const sendPending = async (name: string, wish: { again: boolean }): Promise<void> => {
    await add(name);
    if (wish.again) await delay(wakeDebounceMs, undefined, { signal: flushing.signal, ref: false }).catch(() => {});
    pending.delete(name);
    if (wish.again) send(name);
  };
  /** Until nothing is pending: a wake-up that was held back follows the one before it. */
  const flush = async (): Promise<void> => {
    flushing.abort();
    while (pending.size > 0) await Promise.all([...pending.values()].map(({ sent }) => sent));
  };
  return {
    send: (name) => {
      if (!closed) send(name);
    },
    close: once(async () => {
      closed = true;
      await Promise.race([flush(), delay(flushTimeoutMs, undefined, { ref: false })]);
      closing.abort();
      await withinDeadline(Promise.allSettled([...queues.values()].map((queue) => queue.close())).then(() => pool?.end()));
    }),
  };
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
    close: once(async () => {
      closing.abort();
      await opened;
      await withinDeadline(worker.close());
    }),
  };
}

interface OpenQueue extends Running {
  add(name: string, data: object, options: JobsOptions): Promise<unknown>;
}

/**
 * Between two wake-ups of one queue by one process. The first is never delayed. Under a flood of orders, more than some tens a second
 * would only load the database: a lane takes longer than that for one transaction.
 */
const wakeDebounceMs = 25;

/** How long closing waits for wake-ups that are being sent: many times what they take. */
const flushTimeoutMs = 1_000;

/** Between two tries to reach a backend that is down. */
const retryIntervalMs = 1_000;

/** How long closing waits for the backend. One that is up answers far sooner; one that is down may never answer. */
const closeTimeoutMs = 5_000;

/**
 * A worker that is killed while it works leaves its wake-up behind as active, and later wake-ups are held back until that one ends.
 * With these options the other workers notice within fifteen seconds; the sweep is sooner. A wake-up never fails for good, however
 * often its worker was killed.
 */
const workerOptions = { concurrency: 1, lockDuration: 5_000, stalledInterval: 5_000, maxStalledCount: 1_000_000 };

/** BullMQ keeps the last ten thousand events of each queue by default. Nothing reads them here. */
const streams = { events: { maxLen: 10 } };

const postgres = withBackend(createPostgresBackend);
const redis = withBackend(createRedisBackend);

/** Stops reconnecting while closing: BullMQ would let a client that never connected go on trying for ever and keep the process alive. */
function redisConnection(url: string, closing: AbortSignal) {
  return { url, maxRetriesPerRequest: null, retryStrategy: () => (closing.aborted ? null : retryIntervalMs) };
}

function postgresConnection(connectionString: string, max: number) {
  return { connectionString, schema, max };
}

interface Opening {
  log: Log;
  closing: AbortSignal;
}

function openPool({ databaseUrl }: QueueSettings, log: Log): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 2,
    options: `-c search_path=${schema}`,
    application_name: 'mintrail waker',
  });
  // Every queue adds a listener.
  pool.setMaxListeners(0);
  return pool.on('error', (error) => log.warn({ err: messageOf(error) }, 'queues out of reach'));
}

function openQueue({ redisUrl }: QueueSettings, name: string, { log, closing, pool }: Opening & { pool: Pool | undefined }): OpenQueue {
  const queue =
    pool === undefined
      ? new redis.Queue(name, { streams, connection: { ...redisConnection(redisUrl ?? '', closing), enableOfflineQueue: false } })
      : new postgres.Queue(name, { streams, connection: pool as unknown as PostgresConnectionOptions });
  queue.on('error', (error: Error) => log.warn({ queue: name, err: messageOf(error) }, 'queue out of reach'));
  return queue;
}

function openWorker(
  { redisUrl, databaseUrl }: QueueSettings,
  name: string,
  { process, log, closing }: Opening & { process: () => Promise<void> },
) {
  const worker = redisUrl
    ? new redis.Worker(name, process, { ...workerOptions, connection: redisConnection(redisUrl, closing) })
    : new postgres.Worker(name, process, { ...workerOptions, connection: postgresConnection(databaseUrl, 4) });
  worker.on('error', (error: Error) => log.warn({ queue: name, err: messageOf(error) }, 'queue out of reach'));
  return worker;
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

async function withinDeadline(closed: Promise<unknown>): Promise<void> {
  await Promise.race([closed, delay(closeTimeoutMs, undefined, { ref: false })]);
}

/** Closes once: a second call waits for the first. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => (closed ??= close());
}
