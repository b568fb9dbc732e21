import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** A running command of npm, such as `npm start`. */
export interface NpmStart {
  child: ChildProcess;
  output: () => string;
  /** Resolves with npm's exit code when npm and everything that writes to its output has ended. */
  ended: Promise<number | null>;
  /** Resolves when the output contains the text; rejects when the process ends before. */
  says: (text: string) => Promise<void>;
}

/** `args` go to `npm start`, `variables` are set besides those of the shell. */
export function npmStart(dataDir: string, port: number, args: readonly string[] = [], variables: Record<string, string> = {}): NpmStart {
  return npm(['start', '--', ...args], { ...variables, MINTRAIL_DATA_DIR: dataDir, PORT: String(port) });
}

/** `npm run demo`, as a user types it. */
export function npmRunDemo(dataDir: string, port: number): NpmStart {
  return npm(['run', 'demo'], { MINTRAIL_DATA_DIR: dataDir, PORT: String(port) });
}

function npm(args: readonly string[], variables: Record<string, string>): NpmStart {
  // vitest sets variables, BASE_URL among them, that no user's shell has.
  const { BASE_URL: _, NODE_ENV: __, ...shell } = process.env;
  const child = spawn('npm', args, { cwd: project, env: { ...shell, ...variables }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  // It has a process group of its own, which Ctrl-C does not reach.
  const stopWithTests = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  process.once('exit', stopWithTests);
  void ended.then(() => process.off('exit', stopWithTests));
  const says = (expected: string) =>
    new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (text.includes(expected)) resolve();
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', check);
      check();
      void ended.then(() => reject(new Error(`npm ${args[0]} ended before it said "${expected}":\n${text}`)));
    });
  return { child, ended, says, output: () => text };
}

/** All processes, of any user, whose command line, environment or folder contains the text. Redis writes its title over its environment. */
export function processesWith(text: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: read(name, 'cmdline'), where: [read(name, 'environ'), folderOf(name)] }))
    .filter(({ command, where }) => [command, ...where].some((place) => place.includes(text)))
    .map(({ pid, command }) => ({ pid, command: command.replaceAll('\0', ' ') }));
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
