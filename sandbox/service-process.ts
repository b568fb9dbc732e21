import { fork } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Exit, guard } from '../src/platform/process/guarded-process.ts';
import { memoryFlags, processEnvironment } from '../src/cli/node-runtime.mjs';
import type { Restartable } from './supervise.ts';

/** What a process of the service is started with. */
export interface ServiceProcessOptions {
  /** Command line of `mintrail`. */
  args: readonly string[];
  env: Record<string, string | undefined>;
  logFile: string;
  /** Called with each error that the process logs. */
  onError: (line: string) => void;
}

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** Longer than the eight seconds that a process allows itself to close. */
const graceMs = 10_000;

/**
 * Runs one of Mintrail's own processes. It stops when the channel from this process closes, even when this process is killed. It has its own
 * session, so that Ctrl-C in the terminal reaches only this process.
 */
export function startServiceProcess({ args, env, logFile, onError }: ServiceProcessOptions): Restartable {
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const child = fork(main, args, {
    env: { ...processEnvironment, ...env },
    detached: true,
    silent: true,
    execArgv: memoryFlags(args),
  });
  for (const output of [child.stdout, child.stderr]) {
    output?.pipe(log, { end: false });
    if (output) createInterface({ input: output }).on('line', (line) => reportError(line, onError));
  }
  const { pid } = child;
  // The closed channel tells the process to stop. The guard only wakes it when it is suspended, and kills it after the grace time.
  const release = pid === undefined ? () => {} : guard(pid, 'SIGCONT', graceMs);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 127, signal: null }));
  }).finally(() => {
    release();
    log.end();
  });
  return {
    exited,
    async close() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** pino's level of errors; fatal is higher. */
const errorLevel = 50;

function reportError(line: string, onError: (line: string) => void): void {
  try {
    const entry = JSON.parse(line) as { level?: number; msg?: string; err?: string | { message?: string } };
    if ((entry.level ?? 0) < errorLevel) return;
    const cause = typeof entry.err === 'string' ? entry.err : entry.err?.message;
    onError([entry.msg, cause].filter(Boolean).join(': '));
  } catch {
    if (/error/i.test(line)) onError(line);
  }
}
