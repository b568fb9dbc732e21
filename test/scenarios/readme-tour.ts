import { type ChildProcess, spawn } from 'node:child_process';
import { until } from '../support/until.ts';

/** One block of the README's tour: commands for a terminal, or what a terminal then shows. */
export interface TourBlock {
  kind: 'sh' | 'text';
  terminal: number;
  text: string;
}

/** The fenced blocks below the heading `## Tour`, in their order. */
export function readTour(readme: string): TourBlock[] {
  const section = /^## Tour\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
  return [...section.matchAll(/^```(sh|text) terminal=(\d)\n(.*?)^```$/gms)].map(([, kind, terminal, text = '']) => ({
    kind: kind as TourBlock['kind'],
    terminal: Number(terminal),
    text,
  }));
}

/** A shell that is typed into. */
export interface Terminal {
  /** Types commands that end, and waits until they have. */
  run(commands: string): Promise<void>;
  /** Types a command that goes on. */
  type(command: string): void;
  /** Waits until the lines have appeared, in their order, after those that it was asked for before; `…` stands for anything within a line. */
  shows(lines: string): Promise<void>;
  output(): string;
  /** Ctrl-C, and waits until the shell is gone. */
  close(): Promise<void>;
}

/** A pattern that finds just this text. */
const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Opens a shell in a folder. */
export function openTerminal(folder: string, env: Record<string, string | undefined>): Terminal {
  const shell: ChildProcess = spawn('bash', [], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
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
  return {
    type,
    async run(given) {
      commands += 1;
      const mark = `[done ${commands}]`;
      type(`${given}\necho "${mark}"`);
      await until(`the terminal is through with: ${given}\n${text}`, async () => (text.includes(mark) ? true : undefined));
    },
    async shows(lines) {
      for (const line of lines.split('\n').filter(Boolean))
        seen = await until(`the terminal shows "${line}"`, async () => find(line), 180).catch((error: unknown) => {
          throw new Error(`${String(error)}; it shows:\n${text}`);
        });
    },
    output: () => text,
    async close() {
      shell.stdin?.end();
      if (shell.exitCode === null) process.kill(-(shell.pid as number), 'SIGINT');
      await ended;
    },
  };
}
