import { fork } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Exit, guard } from '../../platform/process/guarded-process.ts';
import { compileCache, memoryFlags } from '../node-runtime.mjs';
import type { Part } from './supervise.ts';

export interface ServiceProcessOptions {
  /** Command line of `mintrail`. */
  args: readonly string[];
  env: Record<string, string | undefined>;
  logFile: string;
  /** Called with what the process logs as an error. */
  onError: (line: string) => void;
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Longer than the eight seconds a process gives itself. */
const graceMs = 10_000;

/**
 * Runs one of Mintrail's own processes. It stops when the channel to it closes, also when that is because this process was
 * killed. In its own session, so that the terminal's Ctrl-C reaches only this process.
 */
export function startServiceProcess({ args, env, logFile, onError }: ServiceProcessOptions): Part {
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const child = fork(main, args, {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    detached: true,
    silent: true,
    execArgv: [...memoryFlags],
  });
  for (const output of [child.stdout, child.stderr]) {
    output?.pipe(log, { end: false });
    if (output) createInterface({ input: output }).on('line', (line) => reportError(line, onError));
  }
  const { pid } = child;
  // The closing channel is the signal; this one only wakes a stopped process, and the guard kills what does not go.
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

/** pino's number for an error; fatal is above. */
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
