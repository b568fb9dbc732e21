import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Requests to send, with how many connections, and when. */
export interface Load {
  url: string;
  path: string;
  token: string;
  bodies: readonly string[];
  /** Requests in flight at once, where each connection waits for its answers. */
  connections: number;
  /** Either as fast as they are answered, with a pause after each answer, for a time; or at a rate, whether or not they are answered. */
  pace: { seconds: number; pauseMs?: number } | { perSecond: number };
}

/** What became of them. */
export interface LoadResult {
  /** Milliseconds of each request that was answered with success. */
  latencies: number[];
  /** How often a request failed, by what was answered. */
  failures: Record<string, number>;
  seconds: number;
  /** Processor time of the client, in seconds. */
  cpu: number;
}

const client = path.join(import.meta.dirname, 'client.ts');

/** Sends requests as {@link sendLossyLoad} does. Throws when one fails: a rate of failures is no rate. */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const result = await sendLossyLoad(load);
  const [failure] = Object.entries(result.failures);
  if (failure) throw new Error(`${failure[1]} requests to ${load.path} failed: ${failure[0]}`);
  return result;
}

/** Sends requests from a process of its own, whose processor time is known: it shares the cores with what is measured. Some may fail. */
export async function sendLossyLoad(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-load-'));
  const file = path.join(folder, 'load.json');
  writeFileSync(file, JSON.stringify(load), { mode: 0o600 });
  const child = fork(client, [file], { execArgv: [] });
  try {
    await message(child);
    child.send('go');
    return (await message(child)) as LoadResult;
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function message(child: ReturnType<typeof fork>): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => Promise.reject(new Error('the client ended without a result')));
  exit.catch(() => {});
  try {
    return (await Promise.race([once(child, 'message'), exit]))[0];
  } finally {
    ended.abort();
  }
}
