import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { directUrl } from '../postgres/connections.ts';
import { ledgerSchema } from '../database.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { leaveReplicas } from '../queue/leave-replicas.ts';
import { redisAddress } from '../queue/redis-address.ts';
import { createRedisClient } from '../queue/redis-client.ts';
import type { Settings } from '../settings.ts';

/** The counts of one limit, in windows of a minute. Never throws: while the shared store is down, the process counts by itself. */
export interface LimitStore {
  /** Takes up to `count` requests. Returns how many were granted, and the milliseconds until the window ends. */
  take(key: string, count: number): Promise<{ granted: number; milliseconds: number }>;
}

/** Opens the counts of a limit per minute. `name` distinguishes limits. */
export type OpenLimitStore = (name: string, limit: number) => LimitStore;

const windowSeconds = 60;

/** Longest time that a request waits for the shared store. */
const answerTimeoutMs = 2_000;

/** Time for which a failed store is not asked again. */
const pauseAfterFailureMs = 5_000;

/** Opens counts where the queues are: in Redis when `REDIS_URL` is set, else in the ledger's PostgreSQL (table `rate_limits`). */
export function createLimitStores(settings: Pick<Settings, 'redisUrl' | 'databaseUrl' | 'databaseDirectUrl'>, log: Log): OpenLimitStore {
  const { redisUrl } = settings;
  const health = createHealth(log);
  const redis = redisUrl === undefined ? undefined : reachRedis(redisUrl);
  const pool = redis ? undefined : reachPostgres(directUrl(settings));
  return (name, limit) => {
    const options = { keyPrefix: `limit-${name}`, points: limit, duration: windowSeconds };
    const shared = redis
      ? new RateLimiterRedis({ ...options, storeClient: redis.client })
      : new RateLimiterPostgres({ ...options, storeClient: pool, schemaName: ledgerSchema, tableName: 'rate_limits', tableCreated: true });
    const own = new RateLimiterMemory(options);
    const withLimiter = async <T>(work: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> => {
      if (health.isDown()) return work(own);
      const answer = (async () => {
        await redis?.connected();
        return work(shared);
      })();
      return health.orElse(answer, () => work(own));
    };
    return storeOf(limit, withLimiter);
  };
}

/** Opens counts of this process alone, for requests that are answered while the shared store is down. */
export function openOwnLimitStore(limit: number): LimitStore {
  const own = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  return storeOf(limit, (work) => work(own));
}

function storeOf(limit: number, withLimiter: <T>(work: (limiter: RateLimiterAbstract) => Promise<T>) => Promise<T>): LimitStore {
  return {
    async take(key, count) {
      const res = await withLimiter((limiter) => limiter.consume(key, count).catch(refusalOf));
      return { granted: Math.min(count, Math.max(0, limit - (res.consumedPoints - count))), milliseconds: Math.max(res.msBeforeNext, 1) };
    },
  };
}

/** The library rejects with the count when the limit is exceeded, and with an error when it could not count. */
function refusalOf(thrown: unknown): RateLimiterRes {
  if (thrown instanceof RateLimiterRes) return thrown;
  throw thrown;
}

function createHealth(log: Log) {
  let downUntil = 0;
  let isLogged = false;
  return {
    isDown: () => downUntil > Date.now(),
    async orElse<T>(shared: Promise<T>, otherwise: () => Promise<T>): Promise<T> {
      const timeout = new AbortController();
      const late = delay(answerTimeoutMs, undefined, { signal: timeout.signal, ref: false }).then(() => {
        throw new Error(`no answer within ${answerTimeoutMs} ms`);
      });
      try {
        const answer = await Promise.race([shared, late]);
        if (isLogged) log.info('the rate limit store answers again');
        isLogged = false;
        return answer;
      } catch (error) {
        if (!isLogged) log.warn({ err: messageOf(error) }, 'the rate limit store does not answer: each process counts by itself');
        isLogged = true;
        downUntil = Date.now() + pauseAfterFailureMs;
        return otherwise();
      } finally {
        timeout.abort();
        shared.catch(() => {});
        late.catch(() => {});
      }
    },
  };
}

/**
 * Its own connections, opened on demand: in the ledger's pool a query would wait behind the very requests that are too many. They do not keep a
 * process alive, so nothing has to close them. Direct ones: the library names a statement.
 */
function reachPostgres(connectionString: string): Pool {
  const application_name = 'mintrail rate limits';
  const pool = new Pool({ connectionString, max: 2, application_name, allowExitOnIdle: true, connectionTimeoutMillis: answerTimeoutMs });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A connection, opened on demand, which does not keep a process alive either. */
function reachRedis(url: string) {
  const client = createRedisClient({
    ...redisAddress(url),
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  });
  client.on('connect', () => client.stream.unref());
  leaveReplicas(client);
  let connecting: Promise<void> | undefined;
  return {
    client,
    connected: async (): Promise<void> => {
      if (client.status === 'ready') return;
      connecting ??= client.connect().finally(() => (connecting = undefined));
      await connecting;
    },
  };
}
