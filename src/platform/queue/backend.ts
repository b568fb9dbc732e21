import {
  createIORedisClient,
  createPostgresBackend,
  createRedisBackend,
  type JobsOptions,
  type PostgresConnectionOptions,
  RedisConnection,
  runMigrations,
  withBackend,
} from 'bullmq';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { directUrl } from '../postgres/connections.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Running } from '../loop.ts';
import { leaveReplicas } from './leave-replicas.ts';
import { redisAddress } from './redis-address.ts';
import { createRedisClient } from './redis-client.ts';
import type { Settings } from '../settings.ts';

/** PostgreSQL schema of the queues, when they live there. */
const schema = 'bullmq';

/** Where the queues live: in Redis when `redisUrl` is set, else in PostgreSQL. */
export type QueueSettings = Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'redisUrl'>;

/** Creates what the queues need in PostgreSQL. With Redis there is nothing to create. */
export async function migrateQueue(settings: QueueSettings): Promise<void> {
  if (settings.redisUrl) return;
  const client = new Client({ connectionString: directUrl(settings) });
  // A lost connection fails the query under way; without a listener it would end the process as well.
  client.on('error', () => {});
  try {
    await client.connect();
    await runMigrations(client, schema);
  } finally {
    await client.end().catch(() => {});
  }
}

/** A queue to which wake-ups are added. */
export interface OpenQueue extends Running {
  add(name: string, data: object, options: JobsOptions): Promise<unknown>;
}

/** Between two tries to reach a backend that is down. */
export const retryIntervalMs = 1_000;

/** How long closing waits for the backend. One that is up answers far sooner; one that is down may never answer. */
const closeTimeoutMs = 5_000;

/**
 * A worker that is killed while it works leaves its wake-up behind as active, and later wake-ups are held back until that one ends.
 * With these options the other workers notice within fifteen seconds; the sweep is sooner. A wake-up never fails for good, however
 * often its worker was killed.
 */
const workerOptions = { concurrency: 1, lockDuration: 5_000, stalledInterval: 5_000, maxStalledCount: 1_000_000 };

/** Seconds after which a worker asks PostgreSQL for a wake-up of which no notification came. Where one is lost, the sweep is sooner. */
const drainDelay = 30;

/** BullMQ keeps the last ten thousand events of each queue by default. Nothing reads them here. */
const streams = { events: { maxLen: 10 } };

const postgres = withBackend(createPostgresBackend);
const redis = withBackend(createRedisBackend);
RedisConnection.clientFactory = (options) => createIORedisClient(createRedisClient(options));

/** Stops reconnecting while closing: BullMQ would let a client that is not connected then go on trying for ever and keep the process alive. */
function redisConnection(url: string, closing: AbortSignal) {
  const retryStrategy = () => (closing.aborted ? null : retryIntervalMs);
  return { ...redisAddress(url), maxRetriesPerRequest: null, retryStrategy, sentinelRetryStrategy: retryStrategy };
}

/** A worker listens on a second one. With more here it would open another every half a minute, when it asks two things at once, and close it again. */
function postgresConnection(connectionString: string) {
  return { connectionString, schema, max: 1 };
}

/** The connections that all queues of a process share, when the queues are in PostgreSQL. */
export function openPool(settings: QueueSettings, log: Log): Pool {
  const pool = new Pool({
    connectionString: directUrl(settings),
    max: 2,
    options: `-c search_path=${schema}`,
    application_name: 'mintrail waker',
  });
  // Every queue adds a listener.
  pool.setMaxListeners(0);
  return pool.on('error', (error) => log.warn({ err: messageOf(error) }, 'queues out of reach'));
}

/** Opens a queue to add wake-ups to: in PostgreSQL through `pool`, without it in Redis. */
export function openQueue({ redisUrl }: QueueSettings, name: string, { log, pool }: { log: Log; pool: Pool | undefined }): OpenQueue {
  const closing = new AbortController();
  const queue =
    pool === undefined
      ? openRedisQueue(redisUrl ?? '', name, closing.signal)
      : new postgres.Queue(name, { streams, connection: pool as unknown as PostgresConnectionOptions });
  queue.on('error', (error: Error) => log.warn({ queue: name, err: messageOf(error) }, 'queue out of reach'));
  return {
    add: (...job) => queue.add(...job),
    close() {
      closing.abort();
      return queue.close();
    },
  };
}

function openRedisQueue(url: string, name: string, closing: AbortSignal) {
  const queue = new redis.Queue(name, { streams, connection: { ...redisConnection(url, closing), enableOfflineQueue: false } });
  // A worker needs no such call: it writes every five seconds.
  queue.backend.client.then(leaveReplicas, () => {});
  return queue;
}

interface WorkerOptions {
  process: () => Promise<void>;
  log: Log;
  closing: AbortSignal;
}

/** Opens a BullMQ worker, which calls `process` for every wake-up of a queue. */
export function openWorker(settings: QueueSettings, name: string, { process, log, closing }: WorkerOptions) {
  const worker = settings.redisUrl
    ? new redis.Worker(name, process, { ...workerOptions, connection: redisConnection(settings.redisUrl, closing) })
    : new postgres.Worker(name, process, { ...workerOptions, drainDelay, connection: postgresConnection(directUrl(settings)) });
  worker.on('error', (error: Error) => log.warn({ queue: name, err: messageOf(error) }, 'queue out of reach'));
  return worker;
}

/** Waits for `closed`, but no longer than {@link closeTimeoutMs}. */
export async function withinDeadline(closed: Promise<unknown>): Promise<void> {
  await Promise.race([closed, delay(closeTimeoutMs, undefined, { ref: false })]);
}

/** Closes once: a second call waits for the first. */
export function closeOnce(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => (closed ??= close());
}
