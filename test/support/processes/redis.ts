import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { until } from '../until.ts';

/** Why tests that need Redis are left out here; undefined where Redis is installed. */
export const noRedis: string | undefined =
  spawnSync('redis-server', ['--version']).error === undefined
    ? undefined
    : 'The tests on Redis are left out: no redis-server on PATH (apt-get install redis-server)';

/** A Redis server of the caller's own, which keeps no data when it stops. */
export interface TestRedis {
  url: string;
  start(): Promise<void>;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Asks it something on a connection of its own. */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T>;
  /** How many elements there are in all keys together. */
  stored(): Promise<number>;
  close(): Promise<void>;
}

export async function startTestRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  let child: ReturnType<typeof spawn> | undefined;
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  const ask = async <T>(question: (redis: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => {});
    try {
      await client.connect();
      return await question(client);
    } finally {
      client.disconnect();
    }
  };
  const start = async (): Promise<void> => {
    child = spawn('redis-server', args, { stdio: 'ignore' });
    await until('Redis answers', () => ask((redis) => redis.ping()).catch(() => undefined));
  };
  const stopWithTests = (): void => void child?.kill('SIGKILL');
  process.once('exit', stopWithTests);
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    signal: (name) => void child?.kill(name),
    ask,
    stored: () =>
      ask(async (redis) => (await Promise.all((await redis.keys('*')).map((key) => lengthOf(redis, key)))).reduce((a, b) => a + b, 0)),
    async close() {
      await kill();
      process.removeListener('exit', stopWithTests);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function lengthOf(redis: Redis, key: string): Promise<number> {
  switch (await redis.type(key)) {
    case 'list':
      return redis.llen(key);
    case 'set':
      return redis.scard(key);
    case 'zset':
      return redis.zcard(key);
    case 'hash':
      return redis.hlen(key);
    case 'stream':
      return redis.xlen(key);
    default:
      return 1;
  }
}
