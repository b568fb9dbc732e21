import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { cliSettings, environmentFile } from '../../src/cli/cli-settings.ts';
import { startServiceProcess } from '../../sandbox/service-process.ts';
import { supervise } from '../../sandbox/supervise.ts';
import { directUrl } from '../../src/platform/postgres/connections.ts';
import type { Running } from '../../src/platform/loop.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { findPgbouncer } from '../../sandbox/postgres/pgbouncer.ts';
import { noRedis } from '../support/processes/redis.ts';
import { until } from '../support/until.ts';

/** Why a sandbox cannot run here as a deployment on several machines does; undefined where it can. */
export const cannotScaleOut: string | undefined =
  noRedis ?? (findPgbouncer() === undefined ? 'Not through PgBouncer: it is not installed (apt-get install pgbouncer)' : undefined);

/** Further copies of the processes of a sandbox, which are restarted when they end. */
export interface Copies extends Running {
  /** The addresses of the further APIs. */
  apiUrls: string[];
}

/** Two more APIs, for each network and the common work a worker of its own beside that of the sandbox, which does everything, and a second indexer. */
const commands = [
  ['api'],
  ['api'],
  ['worker', '--chain', 'chiado'],
  ['worker', '--chain', 'sepolia'],
  ['worker', '--common'],
  ['indexer', '--chain', 'chiado', '--chain', 'sepolia'],
];

/** Starts the copies, and waits until the APIs answer. */
export async function startCopies(dataDir: string, variables: Record<string, string>): Promise<Copies> {
  const environment = JSON.parse(readFileSync(path.join(dataDir, environmentFile), 'utf8')) as Record<string, string>;
  const ports = await Promise.all(commands.map(() => freePort()));
  const copies = commands.map((args, index) => {
    const logFile = path.join(dataDir, 'logs', `copy-${index}.log`);
    const env = { PATH: process.env['PATH'], ...environment, ...variables, PORT: String(ports[index]) };
    const start = () => startServiceProcess({ args, env, logFile, onError: () => {} });
    return supervise({ name: args.join(' '), start, first: start(), report: () => {}, logFile });
  });
  const apiUrls = ports.flatMap((port, index) => (commands[index]?.[0] === 'api' ? [`http://localhost:${port}`] : []));
  for (const url of apiUrls) await until(`${url} answers`, () => fetch(`${url}/health/live`).catch(() => undefined));
  return { apiUrls, close: async () => void (await Promise.all(copies.map((copy) => copy.close()))) };
}

/** A request is sent to another API as well after this time: the first one may be frozen. */
const hedgeMs = 3_000;

/** A fetch that sends each request to the next of the addresses, and to others while that does not answer, as a load balancer does. */
export function balanced(addressesOf: () => readonly string[]): typeof fetch {
  let requests = 0;
  return (url, init) => {
    const addresses = addressesOf();
    requests += 1;
    const text = url instanceof Request ? url.url : url.toString();
    const inTurn = addresses.map((_, index) => addresses[(requests + index) % addresses.length] ?? '');
    return firstAnswer(inTurn.map((address) => () => fetch(text.replace(addresses[0] ?? '', address), init)));
  };
}

/** The first answer to requests that follow one another as long as none has answered. */
async function firstAnswer(requests: readonly (() => Promise<Response>)[]): Promise<Response> {
  const answered = new AbortController();
  const send = async (request: () => Promise<Response>, index: number) => {
    if (index > 0) await delay(index * hedgeMs, undefined, { signal: answered.signal });
    const response = await request();
    answered.abort();
    return response;
  };
  return Promise.any(requests.map(send));
}

/** How many connections of Mintrail's own processes the database has through the pooler. */
export async function countConnections(dataDir: string): Promise<number> {
  const client = new Client({ connectionString: directUrl(cliSettings({ MINTRAIL_DATA_DIR: dataDir })) });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pooled: number }>(
    // Ponder's connections, which are direct, have the name of its run.
    `select count(*)::int as pooled from pg_stat_activity
     where application_name like 'mintrail %' and application_name !~ '^mintrail (direct|index) '`,
  );
  await client.end();
  return rows[0]?.pooled ?? 0;
}
