import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** One block of a tour: commands for a terminal, what a terminal then shows, or keys that are pressed in it. */
export interface TourBlock {
  kind: 'sh' | 'text' | 'keys';
  terminal: number;
  text: string;
}

/** The fenced blocks for terminals in the section of a page, in their order. */
export function readTour(page: string, heading: string): TourBlock[] {
  const [, section = ''] = page.split(new RegExp(`^## ${heading}\n`, 'm'));
  const [tour = ''] = section.split(/^## /m);
  return [...tour.matchAll(/^```(sh|text|keys) terminal=(\d)\n(.*?)^```$/gms)].map(([, kind, terminal, text = '']) => ({
    kind: kind as TourBlock['kind'],
    terminal: Number(terminal),
    text,
  }));
}

/** Does what the blocks say. In the terminal `commands` each block's commands end, and those of all others go on. */
export async function followTour(blocks: readonly TourBlock[], commands: number, terminalOf: (number: number) => Terminal): Promise<void> {
  for (const { kind, terminal: number, text } of blocks) {
    const terminal = terminalOf(number);
    if (kind === 'text') await terminal.shows(text);
    else if (kind === 'keys') terminal.interrupt();
    else if (number === commands) await terminal.run(text);
    else terminal.type(text);
  }
}

/**
 * Walks the tour of README.md from its second terminal on, on a running sandbox with this data folder, whose start is the first terminal's part. Throws
 * when a command fails, a text does not appear, or an answer is an error.
 */
export async function walkReadme(dataDir: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-tour-'));
  for (const name of ['package.json', 'node_modules', 'src']) symlinkSync(path.join(project, name), path.join(folder, name));
  symlinkSync(dataDir, path.join(folder, '.mintrail'));
  const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
  const blocks = readTour(readme, 'Tour').filter(({ terminal }) => terminal > 1);
  const { BASE_URL: _, NODE_ENV: __, ...env } = process.env;
  const terminals = new Map([2, 3].map((number) => [number, openTerminal(folder, { env })]));
  // The second terminal starts it by npx as well, which takes four times the processor time of the command.
  terminals.get(3)?.type('npx() { shift; node src/cli/mintrail.mjs "$@"; }');
  try {
    await followTour(blocks, 3, (number) => terminals.get(number) as Terminal);
    const error = /"code":[45]\d\d|not found|Error/.exec(terminals.get(3)?.output() ?? '');
    if (blocks.length < 10 || error) throw new Error(`${blocks.length} blocks of the tour lead to: ${terminals.get(3)?.output()}`);
  } finally {
    for (const terminal of terminals.values()) await terminal.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A clone of the project with its dependencies, whose installation is a matter of minutes and was done before any test began. */
export function cloneProject(clone: string): void {
  execFileSync('git', ['clone', '--quiet', project, clone]);
  const [from, to] = [path.join(project, 'node_modules'), path.join(clone, 'node_modules')];
  mkdirSync(to);
  // Other caches are left out: tests write to them.
  const entries = readdirSync(from).filter((name) => !['.vite', '.vite-temp', '.vitest-cache', '.cache'].includes(name));
  const isOneDisk = statSync(from).dev === statSync(to).dev;
  execFileSync('cp', [isOneDisk ? '-al' : '-a', ...entries, to], { cwd: from });
  // What others have compiled meanwhile. Some files of it may be written just now, and can be missing.
  mkdirSync(path.join(to, '.cache'));
  spawnSync('cp', ['-a', path.join(from, '.cache/node'), path.join(to, '.cache')]);
}

/** The environment of somebody who has just logged in. */
export function newcomer(home: string): Record<string, string | undefined> {
  const ours = /^(VITEST|NODE_ENV$|NODE_COMPILE_CACHE|BASE_URL$|TEST$|MODE$|DEV$|PROD$|SSR$|npm_)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const PATH = (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((entry) => !entry.includes('node_modules'))
    .join(path.delimiter);
  return { ...env, PATH, HOME: home };
}

/** A shell that is typed into. */
export interface Terminal {
  /** Types commands that end, and waits until they have. Throws when one of them fails. */
  run(commands: string): Promise<void>;
  /** Types a command that goes on. */
  type(command: string): void;
  /** Waits until the lines have appeared, in their order, after those that it was asked for before; `…` stands for anything within a line. */
  shows(lines: string): Promise<void>;
  /** Ctrl-C: ends what runs in it. */
  interrupt(): void;
  output(): string;
  /** Ctrl-C, and waits until the shell is gone. */
  close(): Promise<void>;
}

/** How a shell is opened. */
export interface TerminalOptions {
  env: Record<string, string | undefined>;
  /** Whose shell it is; without it, that of the user of this process. */
  user?: { uid: number; gid: number } | undefined;
}

/** A pattern that finds just this text. */
const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Opens a shell in a folder. */
export function openTerminal(folder: string, { env, user }: TerminalOptions): Terminal {
  const shell: ChildProcess = spawn('bash', [], { cwd: folder, env, ...user, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  let seen = 0;
  let commands = 0;
  for (const stream of [shell.stdout, shell.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  const find = (line: string) => {
    const pattern = new RegExp(line.split('…').map(literally).join('.*'));
    const match = pattern.exec(text.slice(seen));
    return match ? seen + match.index + match[0].length : undefined;
  };
  const type = (command: string): void => void shell.stdin?.write(`${command}\n`);
  // The shell outlives Ctrl-C, as one at a keyboard does, and says which command has failed.
  type(`trap : INT; trap 'echo "[failed: $BASH_COMMAND]"' ERR`);
  return {
    type,
    async run(given) {
      commands += 1;
      const mark = `[done ${commands}]`;
      type(`${given}\necho "${mark}"`);
      const ask = async () => {
        const failed = /^\[failed: .*/m.exec(text);
        if (failed) throw new Error(failed[0]);
        return text.includes(mark) ? true : undefined;
      };
      await until(`the terminal is through with: ${given}`, ask).catch((error: unknown) => {
        throw new Error(`${String(error)}; it shows:\n${text}`);
      });
    },
    async shows(lines) {
      for (const line of lines.split('\n').filter(Boolean))
        seen = await until(`the terminal shows "${line}"`, async () => find(line)).catch((error: unknown) => {
          throw new Error(`${String(error)}; it shows:\n${text}`);
        });
    },
    interrupt: () => void process.kill(-(shell.pid as number), 'SIGINT'),
    output: () => text,
    async close() {
      shell.stdin?.end();
      if (shell.exitCode === null) process.kill(-(shell.pid as number), 'SIGINT');
      await ended;
    },
  };
}
