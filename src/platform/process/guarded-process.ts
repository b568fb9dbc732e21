import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process that never outlives this one. */
export interface GuardedProcess {
  pid: number;
  /** Settles when the process has ended, for whatever reason; never rejects. */
  exited: Promise<Exit>;
  /** Asks the process to end by its signal, kills it after its grace time, and waits until it is gone. */
  stop(): Promise<Exit>;
}

export interface GuardedOptions {
  command: string;
  args: readonly string[];
  /** What the program takes as a request to end in good order. */
  signal: 'SIGINT' | 'SIGTERM';
  /** How long it may take over that before it is killed. */
  graceMs?: number;
  cwd?: string;
  env?: Record<string, string | undefined>;
  /** Runs as this user; only root may ask for it. */
  user?: { uid: number; gid: number } | undefined;
  /** File that takes its output. A file, because a pipe would block or break the program when this process is gone. */
  logFile: string;
}

/** A clean end writes a few megabytes of state; ten seconds are plenty and still shorter than a supervisor's own patience. */
const defaultGraceMs = 10_000;

/** A log that has grown beyond this is put aside at the next start, once. */
const maxLogBytes = 10_000_000;

/**
 * Starts a program of somebody else that must end with this process, also when this one is killed by SIGKILL. It runs in
 * its own session, so that the terminal's Ctrl-C reaches only this process, which then ends the program in order.
 */
export function spawnGuarded(options: GuardedOptions): GuardedProcess {
  const output = openLog(options.logFile);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    ...options.user,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const { pid } = child;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 127, signal: null }));
  });
  if (pid === undefined) return { pid: -1, exited, stop: () => exited };
  const release = guard(pid, options.signal, options.graceMs ?? defaultGraceMs);
  void exited.then(release);
  return { pid, exited, stop: () => end(child, exited, options) };
}

/** Puts a process under guard that this one did not start: it is ended when this process is gone. Returns the way to take that back. */
export function guard(pid: number, signal: NodeJS.Signals, graceMs = defaultGraceMs): () => void {
  const line = `${pid} ${signal} ${graceMs}`;
  guarded.set(pid, line);
  tell(`+${line}`);
  return () => {
    if (guarded.delete(pid)) tell(`-${pid}`);
  };
}

const guarded = new Map<number, string>();
let reaper: ChildProcess | undefined;

function tell(line: string): void {
  if (!reaper) {
    reaper = startReaper();
    // A new guard is told everything, this line's process included.
    for (const known of guarded.values()) reaper.stdin?.write(`+${known}\n`);
  } else reaper.stdin?.write(`${line}\n`);
}

function startReaper(): ChildProcess {
  const started = spawn(process.execPath, [fileURLToPath(new URL('./reaper.mjs', import.meta.url))], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] },
  });
  const lost = (): void => {
    if (reaper === started) reaper = undefined;
    const [first] = guarded.values();
    if (!reaper && first) tell(`+${first}`);
  };
  started.once('exit', lost);
  started.stdin?.on('error', () => {});
  started.unref();
  (started.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return started;
}

async function end(child: ChildProcess, exited: Promise<Exit>, options: GuardedOptions): Promise<Exit> {
  child.kill(options.signal);
  const timer = setTimeout(() => killGroup(child.pid), options.graceMs ?? defaultGraceMs);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone in the meantime.
  }
}

function openLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true });
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600);
}
