import { type Forwarder, startForwarder } from './forwarder.ts';
import { startTestRedis, type TestRedis } from './redis.ts';

/** A primary of Redis and its replica behind one address. */
export interface RedisPair {
  /** The address, which leads to the primary. */
  url: string;
  forwarder: Forwarder;
  primary(): TestRedis;
  replica(): TestRedis;
  /** The replica becomes the primary, to which the address leads from then on. Connections that exist stay with the old one. */
  failOver(): Promise<void>;
  /** While it is read-only, the address leads to a server that takes no writes: the primary follows the replica. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** The clients that are connected to what is a replica now. */
  clientsOfReplica(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startRedisPair(): Promise<RedisPair> {
  const [first, second] = await Promise.all([startTestRedis(), startTestRedis()]);
  let [primary, replica] = [first, second];
  await replica.ask((redis) => redis.replicaof('127.0.0.1', portOf(primary)));
  const forwarder = await startForwarder(portOf(primary));
  return {
    url: `redis://127.0.0.1:${forwarder.port}`,
    forwarder,
    primary: () => primary,
    replica: () => replica,
    async failOver() {
      [primary, replica] = [replica, primary];
      await primary.ask((redis) => redis.replicaof('NO', 'ONE'));
      await replica.ask((redis) => redis.replicaof('127.0.0.1', portOf(primary)));
      forwarder.leadTo(portOf(primary));
    },
    async setReadOnly(isReadOnly) {
      const [leader, follower] = isReadOnly ? [replica, primary] : [primary, replica];
      await leader.ask((redis) => redis.replicaof('NO', 'ONE'));
      await follower.ask((redis) => redis.replicaof('127.0.0.1', portOf(leader)));
    },
    clientsOfReplica: () => clientsOf(replica),
    async close() {
      await forwarder.close();
      await Promise.all([first.close(), second.close()]);
    },
  };
}

export const portOf = (redis: TestRedis): number => Number(new URL(redis.url).port);

/** The clients of a Redis but replicas, Sentinels, and the one that asks. */
export async function clientsOf(redis: TestRedis): Promise<string[]> {
  const list = await redis.ask((client) => client.call('CLIENT', 'LIST', 'TYPE', 'normal') as Promise<string>);
  return list.split('\n').filter((line) => line !== '' && !/ name=sentinel-| cmd=(client|role|psync|replconf)/.test(line));
}
