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
  /** Settles when the process has ended, for any reason; never rejects. */
  exited: Promise<Exit>;
  /** Sends the process its signal, kills it when the grace time is over, and waits until it has ended. */
  stop(): Promise<Exit>;
}

/** How a program is started, and how it is ended. */
export interface GuardedOptions {
  command: string;
  args: readonly string[];
  /** The signal on which the program shuts down cleanly. */
  signal: 'SIGINT' | 'SIGTERM';
  /** Time for a clean shutdown before it is killed. */
  graceMs?: number;
  cwd?: string;
  env?: Record<string, string | undefined>;
  /** User to run as; only root can use it. */
  user?: { uid: number; gid: number } | undefined;
  /** File for its output. A pipe would block or break the program when this process is gone. */
  logFile: string;
}

/** A clean shutdown writes a few megabytes of state. Supervisors wait longer than this. */
const defaultGraceMs = 10_000;

/** A larger log is renamed to `.old` at the next start. */
const maxLogBytes = 10_000_000;

/**
 * Starts an external program that must end with this process, even when this process is killed by SIGKILL. It runs in its own session, so that
 * Ctrl-C in the terminal reaches only this process, which then stops the program cleanly.
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

/** Guards a process that this one did not start: it is ended when this process is gone. Returns a function that ends the guarding. */
export function guard(pid: number, signal: NodeJS.Signals, graceMs = defaultGraceMs): () => void {
  const line = `${pid} ${signal} ${graceMs}`;
  guarded.set(pid, line);
  send(`+${line}`);
  return () => {
    if (guarded.delete(pid)) send(`-${pid}`);
  };
}

const guarded = new Map<number, string>();
let reaper: ChildProcess | undefined;

/** Sends a line to the reaper, and starts the reaper when there is none. */
function send(line: string): void {
  if (!reaper) {
    reaper = startReaper();
    // A new reaper has to learn of all guarded processes, also that of this line.
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
    if (!reaper && first) send(`+${first}`);
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
