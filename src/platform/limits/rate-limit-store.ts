import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ledgerSchema } from '../database.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';

/** Counts of one limit, in windows of a minute. Never fails: while the store is down the process counts by itself. */
export interface LimitStore {
  /** Takes up to `count`. Answers how many there were, and the milliseconds until the window ends. */
  take(key: string, count: number): Promise<{ granted: number; milliseconds: number }>;
  /** Milliseconds until there is room, 0 when there is; takes nothing. */
  wait(key: string): Promise<number>;
}

/** Opens the counts of one limit per minute, under a name of their own. */
export type OpenLimitStore = (name: string, limit: number) => LimitStore;

const windowSeconds = 60;

/** Milliseconds that a request waits for the store at most, and for which a store that failed is left alone. */
const patience = 2_000;
const pauseAfterFailure = 5_000;

/** Where the queues live: in Redis when `REDIS_URL` is set, else in the ledger's PostgreSQL (table `rate_limits`). */
export function createLimitStores({ redisUrl, databaseUrl }: Pick<Settings, 'redisUrl' | 'databaseUrl'>, log: Log): OpenLimitStore {
  const health = createHealth(log);
  const redis = redisUrl === undefined ? undefined : reachRedis(redisUrl);
  const pool = redis ? undefined : reachPostgres(databaseUrl);
  return (name, limit) => {
    const options = { keyPrefix: `limit-${name}`, points: limit, duration: windowSeconds };
    const shared = redis
      ? new RateLimiterRedis({ ...options, storeClient: redis.client })
      : new RateLimiterPostgres({ ...options, storeClient: pool, schemaName: ledgerSchema, tableName: 'rate_limits', tableCreated: true });
    const own = new RateLimiterMemory(options);
    const ask = async <T>(question: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> => {
      if (health.isDown()) return question(own);
      const asked = (async () => {
        await redis?.connected();
        return question(shared);
      })();
      return health.orElse(asked, () => question(own));
    };
    return {
      async take(key, count) {
        const res = await ask((limiter) => limiter.consume(key, count).catch(refusalOf));
        return { granted: Math.min(count, Math.max(0, limit - (res.consumedPoints - count))), milliseconds: Math.max(res.msBeforeNext, 1) };
      },
      async wait(key) {
        const res = await ask((limiter) => limiter.get(key));
        return res !== null && res.consumedPoints >= limit ? Math.max(res.msBeforeNext, 1) : 0;
      },
    };
  };
}

/** The library rejects with the count when the limit is passed, and with an error when it could not count. */
function refusalOf(thrown: unknown): RateLimiterRes {
  if (thrown instanceof RateLimiterRes) return thrown;
  throw thrown;
}

function createHealth(log: Log) {
  let downUntil = 0;
  let isLogged = false;
  return {
    isDown: () => downUntil > Date.now(),
    async orElse<T>(asked: Promise<T>, otherwise: () => Promise<T>): Promise<T> {
      const timeout = new AbortController();
      const late = delay(patience, undefined, { signal: timeout.signal, ref: false }).then(() => {
        throw new Error(`no answer within ${patience} ms`);
      });
      try {
        const answer = await Promise.race([asked, late]);
        if (isLogged) log.info('the store of the rate limits answers again');
        isLogged = false;
        return answer;
      } catch (error) {
        if (!isLogged) log.warn({ err: messageOf(error) }, 'the store of the rate limits is out of reach: each process counts by itself');
        isLogged = true;
        downUntil = Date.now() + pauseAfterFailure;
        return otherwise();
      } finally {
        timeout.abort();
        asked.catch(() => {});
        late.catch(() => {});
      }
    },
  };
}

/**
 * Connections of its own, made when they are needed: in the ledger's pool a question would queue behind the very requests
 * that are too many. They keep no process alive, so there is nothing to close.
 */
function reachPostgres(connectionString: string): Pool {
  const application_name = 'mintrail rate limits';
  const pool = new Pool({ connectionString, max: 2, application_name, allowExitOnIdle: true, connectionTimeoutMillis: patience });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A connection that is made when it is needed, and keeps no process alive either. */
function reachRedis(url: string) {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: () => null,
  });
  // What fails is told to those who ask.
  client.on('error', () => {});
  client.on('connect', () => client.stream.unref());
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
