import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** `npm start` as a user types it. */
export interface NpmStart {
  child: ChildProcess;
  output: () => string;
  /** Settles when npm has ended and nobody can write to its output any more. */
  ended: Promise<number | null>;
  /** Resolves when the output has the text; rejects when the process ends first. */
  says: (text: string) => Promise<void>;
}

export function npmStart(dataDir: string, port: number, args: readonly string[] = []): NpmStart {
  // vitest has an environment of its own, with a BASE_URL among it, that no user's shell has.
  const { BASE_URL: _, NODE_ENV: __, ...shell } = process.env;
  const env = { ...shell, MINTRAIL_DATA_DIR: dataDir, PORT: String(port) };
  const child = spawn('npm', ['start', '--', ...args], { cwd: project, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const says = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (text.includes(wanted)) resolve();
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
      look();
      void ended.then(() => reject(new Error(`npm start ended before it said "${wanted}":\n${text}`)));
    });
  return { child, ended, says, output: () => text };
}

/** Every process, of whatever user, whose command line or environment has the text. */
export function processesWith(text: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: read(name, 'cmdline'), environment: read(name, 'environ') }))
    .filter(({ command, environment }) => command.includes(text) || environment.includes(text))
    .map(({ pid, command }) => ({ pid, command: command.replaceAll('\0', ' ') }));
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
