import { Redis, type RedisOptions } from 'ioredis';

/** ioredis' options, and the URL where the address is one. */
type RedisClientOptions = Omit<RedisOptions, 'replyMapping'> & { url?: string };

/**
 * A client of Redis whose failures are told to who sends a command, or listens. Without a listener ioredis writes them to the standard error output, also those of a client
 * that is being closed, to which BullMQ does not listen any more.
 */
export function createRedisClient({ url, ...options }: RedisClientOptions): Redis {
  const client = url === undefined ? new Redis(options) : new Redis(url, options);
  client.on('error', () => {});
  return client;
}
