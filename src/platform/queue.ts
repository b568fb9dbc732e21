import { createPostgresBackend, createRedisBackend, type JobsOptions, runMigrations, withBackend } from 'bullmq';
import { Client } from 'pg';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';
import type { Running } from './running.ts';
import type { Settings } from './settings.ts';

/** PostgreSQL schema of the queues, when they live there. */
const schema = 'bullmq';

type QueueSettings = Pick<Settings, 'DATABASE_URL' | 'REDIS_URL'>;

/** Wakes whoever works on a queue. Cheap to call as often as one likes: wake-ups that come together become one. */
export interface Waker extends Running {
  wake(queue: string): void;
}

export interface WorkerOptions {
  queue: string;
  /** Called once per wake-up, never twice at the same time in one process. */
  work: () => Promise<void>;
  log: Log;
}

/** Creates what the queues need in PostgreSQL. With Redis there is nothing to create. */
export async function migrateQueue(settings: QueueSettings): Promise<void> {
  if (settings.REDIS_URL) return;
  const client = new Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    await runMigrations(client, schema);
  } finally {
    await client.end();
  }
}

/**
 * Wake-ups go through BullMQ: in Redis when `REDIS_URL` is set, else in the ledger's PostgreSQL. The queue only wakes;
 * a wake-up that is lost costs time, never money, because every worker also sweeps the ledger.
 */
export function createWaker(settings: QueueSettings, log: Log): Waker {
  const queues = new Map<string, { add(name: string, data: object, options: JobsOptions): Promise<unknown>; close(): Promise<void> }>();
  const pending = new Map<string, 'adding' | 'again'>();
  const open = (name: string) => {
    const queue = createQueue(settings, name, log);
    queues.set(name, queue);
    return queue;
  };
  const add = async (name: string): Promise<void> => {
    pending.set(name, 'adding');
    try {
      // Merged with a waiting wake-up; behind a running one, one more is kept, so that nothing committed meanwhile is overlooked.
      await (queues.get(name) ?? open(name)).add(
        'wake',
        {},
        { deduplication: { id: name, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true },
      );
    } catch (error) {
      log.warn({ queue: name, err: messageOf(error) }, 'wake-up not queued; the sweep will find the work');
    }
    const again = pending.get(name) === 'again';
    pending.delete(name);
    if (again) await add(name);
  };
  return {
    wake(name) {
      if (pending.has(name)) pending.set(name, 'again');
      else void add(name);
    },
    async close() {
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** Works on a queue, one wake-up at a time. An error of `work` is logged; the sweep brings the next try. */
export function createQueueWorker(settings: QueueSettings, { queue, work, log }: WorkerOptions): Running {
  const process = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.error({ queue, err: error }, 'work failed; it will be tried again');
    }
  };
  // Stalled detection would only wake a second time, which is harmless; the sweep covers the rest.
  const options = { concurrency: 1 };
  const worker = settings.REDIS_URL
    ? new redis.Worker(queue, process, { ...options, connection: redisConnection(settings.REDIS_URL) })
    : new postgres.Worker(queue, process, { ...options, connection: postgresConnection(settings.DATABASE_URL, 4) });
  worker.on('error', (error: Error) => log.warn({ queue, err: messageOf(error) }, 'queue out of reach'));
  return worker;
}

const postgres = withBackend(createPostgresBackend);
const redis = withBackend(createRedisBackend);

function redisConnection(url: string) {
  return { url, maxRetriesPerRequest: null };
}

function postgresConnection(connectionString: string, max: number) {
  return { connectionString, schema, max };
}

function createQueue(settings: QueueSettings, name: string, log: Log) {
  const queue = settings.REDIS_URL
    ? new redis.Queue(name, { connection: { ...redisConnection(settings.REDIS_URL), enableOfflineQueue: false } })
    : new postgres.Queue(name, { connection: postgresConnection(settings.DATABASE_URL, 2) });
  queue.on('error', (error: Error) => log.warn({ queue: name, err: messageOf(error) }, 'queue out of reach'));
  return queue;
}
