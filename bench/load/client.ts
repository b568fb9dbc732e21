// Sends prepared requests, in a process of its own: `node bench/load/client.ts FILE`, where FILE has a Load as JSON. Says `ready` to its parent, starts
// at `go`, and answers with a LoadResult.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import type { Load, LoadResult } from './load.ts';

const { url, path, token, bodies, connections, pace } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load;

/** An open loop opens as many connections as it needs. A limit far above keeps a service that hangs from exhausting ports. */
const mostConnections = 1_000;

const pool = new Pool(url, { connections: 'perSecond' in pace ? mostConnections : connections });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const latencies: number[] = [];
const failures: Record<string, number> = {};

process.once('message', () => void run());
process.send?.('ready');

async function run(): Promise<void> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await ('perSecond' in pace ? openLoop(startedAt, pace.perSecond) : closedLoop(startedAt + pace.seconds * 1_000, pace.pauseMs));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const result: LoadResult = { latencies, failures, seconds, cpu: (user + system) / 1e6 };
  process.send?.(result, () => process.exit());
}

/** Each connection sends its next request when it has the answer to the last one. */
async function closedLoop(deadline: number, pauseMs: number | undefined): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < bodies.length && performance.now() < deadline) {
      await send(bodies[next++] as string, performance.now());
      if (pauseMs !== undefined) await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

/** Requests are sent at their times, whether or not others are answered. Each is timed from when it was meant to be sent. */
async function openLoop(startedAt: number, perSecond: number): Promise<void> {
  const sent: Promise<void>[] = [];
  for (const [index, body] of bodies.entries()) {
    const intended = startedAt + (index * 1_000) / perSecond;
    const wait = intended - performance.now();
    if (wait > 0) await delay(wait);
    sent.push(send(body, intended));
  }
  await Promise.all(sent);
}

async function send(body: string, from: number): Promise<void> {
  const failure = await pool.request({ method: 'POST', path, headers, body }).then(failureOf, String);
  if (failure === undefined) latencies.push(performance.now() - from);
  else failures[failure] = (failures[failure] ?? 0) + 1;
}

/** What was answered instead of success. Reads the answer to its end, so that the connection can be used again. */
async function failureOf({ statusCode, body }: Dispatcher.ResponseData): Promise<string | undefined> {
  const text = await body.text();
  return statusCode < 300 ? undefined : `${statusCode} ${text.slice(0, 200)}`;
}
