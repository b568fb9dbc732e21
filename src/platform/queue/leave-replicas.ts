/** What is used of a client of ioredis, and of BullMQ's form of it. */
interface RedisClient {
  readonly status: string;
  on(event: 'ready' | 'close', listener: () => void): unknown;
  del(key: string): Promise<unknown>;
}

/** Half of the time after which no connection may be left at a server that became a replica. */
const intervalMs = 5_000;

/** Never exists. Its name begins as BullMQ's keys do, for users of Redis that may write only those. */
const key = 'bull:none';

/**
 * Has a connection that nobody uses leave a server that became a replica, within five seconds. To delete what does not exist changes nothing, and a replica refuses it all the
 * same; on that the connection is made anew, as on any command that is refused so ({@link redisAddress}). Ends with the connection.
 */
export function leaveReplicas(client: RedisClient): void {
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => void client.del(key).catch(() => {});
  const start = (): void => {
    timer ??= setInterval(write, intervalMs).unref();
  };
  if (client.status === 'ready') start();
  client.on('ready', start);
  client.on('close', () => {
    clearInterval(timer);
    timer = undefined;
  });
}
