import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { until } from '../until.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { clientsOf, portOf } from './redis-pair.ts';

/** A Sentinel that watches the primary `queues`. */
interface Sentinel {
  port: number;
  signal(name: NodeJS.Signals): void;
}

/** Two servers of Redis, and a Sentinel that says which of them is the primary. */
export interface SentinelPair {
  /** `REDIS_URL` of the primary that the Sentinel names. */
  url: string;
  /** In the beginning the first is the primary. */
  servers: readonly [TestRedis, TestRedis];
  sentinel: Sentinel;
  /** Starts another Sentinel, which decides only together with the first. */
  addSentinel(): Promise<Sentinel>;
  /** The server that says of itself that it is the primary; undefined while it is none of them, or both. */
  primary(): Promise<TestRedis | undefined>;
  /** True once one server is the primary, and the other one a replica without clients; undefined before. */
  isFollowed(): Promise<true | undefined>;
  close(): Promise<void>;
}

export async function startSentinelPair(): Promise<SentinelPair> {
  const servers = await Promise.all([startTestRedis(), startTestRedis()]);
  const [first, second] = servers;
  await second.ask((redis) => redis.replicaof('127.0.0.1', portOf(first)));
  // One that has no data yet is chosen by no Sentinel, and never gets any once the primary is gone.
  await until('the replica has the data', async () => (await second.ask((redis) => redis.role()))[3] === 'connected' || undefined);
  const sentinels = [await startSentinel(portOf(first))];
  const [sentinel] = sentinels as [OwnSentinel];
  await until('the Sentinel knows the replica', async () => (await sentinel.replicas()) > 0 || undefined);
  const whoAre = async (role: 'master' | 'slave') => {
    const roles = await Promise.all(servers.map((server) => server.ask((redis) => redis.role())));
    return servers.filter((_, index) => roles[index]?.[0] === role);
  };
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/queues`,
    servers,
    sentinel,
    async addSentinel() {
      const another = await startSentinel(portOf(first));
      sentinels.push(another);
      return another;
    },
    async primary() {
      const primaries = await whoAre('master');
      return primaries.length === 1 ? primaries[0] : undefined;
    },
    async isFollowed() {
      try {
        const replicas = await whoAre('slave');
        return (replicas.length === 1 && (await clientsOf(replicas[0] as TestRedis)).length === 0) || undefined;
      } catch {
        // The Sentinel has just made it a replica, and cuts all connections then, also the one that asks.
        return undefined;
      }
    },
    async close() {
      await Promise.all(sentinels.map((started) => started.close()));
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

interface OwnSentinel extends Sentinel {
  replicas(): Promise<number>;
  close(): Promise<void>;
}

async function startSentinel(primary: number): Promise<OwnSentinel> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-sentinel-'));
  const port = await freePort();
  const file = path.join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    `port ${port}
bind 127.0.0.1
dir ${folder}
sentinel monitor queues 127.0.0.1 ${primary} 1
sentinel down-after-milliseconds queues 500
sentinel failover-timeout queues 5000
`,
  );
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  const stopWithTests = (): void => void child.kill('SIGKILL');
  process.once('exit', stopWithTests);
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 100, maxRetriesPerRequest: null });
  client.on('error', () => {});
  await client.ping();
  return {
    port,
    signal: (name) => void child.kill(name),
    replicas: async () => ((await client.call('SENTINEL', 'replicas', 'queues')) as unknown[]).length,
    async close() {
      process.off('exit', stopWithTests);
      client.disconnect();
      stopWithTests();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
