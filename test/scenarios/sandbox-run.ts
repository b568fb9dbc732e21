import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { type NpmStart, npmStart, processesWith } from '../support/processes/npm-start.ts';
import { until } from '../support/until.ts';
import { type FoundProcess, processTree, signalAll } from '../support/processes/process-tree.ts';

/** A sandbox in a folder of its own, as a user starts it, that can be shot at. */
export interface SandboxRun {
  dataDir: string;
  start(): Promise<SandboxFile>;
  /** The processes below `npm start` whose command line matches, each with all it has started. */
  find(command: RegExp): FoundProcess[];
  /** SIGKILL for npm, its shell and script, and the sandbox itself; its parts find out by themselves. */
  killAll(): Promise<void>;
  output(): string;
  /** What it has printed, and the last lines of its logs: for a test that has failed. */
  logTails(): string;
  /** Ctrl-C. */
  stop(): Promise<void>;
  remove(): void;
}

/** `args` go to `npm start`, `variables` are set besides those of the shell. */
export async function createSandboxRun(args: readonly string[] = [], variables: Record<string, string> = {}): Promise<SandboxRun> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-fire-'));
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  const port = await freePort();
  const outputs: NpmStart[] = [];
  const current = (): NpmStart => outputs.at(-1) as NpmStart;
  const tree = () => processTree(current().child.pid ?? 0);
  const nothingLeft = () => until('nothing of it is left', async () => (processesWith(dataDir).length === 0 ? true : undefined));
  return {
    dataDir,
    async start() {
      outputs.push(npmStart(dataDir, port, args, variables));
      await current().says('starts with empty data');
      return JSON.parse(readFileSync(path.join(dataDir, 'sandbox.json'), 'utf8')) as SandboxFile;
    },
    find: (command) =>
      tree()
        .filter((one) => command.test(one.command))
        .flatMap(({ pid }) => processTree(pid)),
    async killAll() {
      signalAll(
        tree().filter(({ command }) => / sandbox( |$)/.test(command) || /npm start|run\.mjs/.test(command)),
        'SIGKILL',
      );
      await nothingLeft();
    },
    logTails() {
      const logs = path.join(dataDir, 'logs');
      const tails = readdirSync(logs).map((name) => `--- ${name} ---\n${readFileSync(path.join(logs, name), 'utf8').slice(-3_000)}`);
      return [outputs.map((one) => one.output().slice(-3_000)), tails].flat().join('\n');
    },
    output: () => outputs.map((one) => one.output()).join('\n--- second start ---\n'),
    async stop() {
      const { child, ended } = current();
      if (child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-(child.pid ?? 0), 'SIGINT');
      await ended;
      await nothingLeft();
    },
    remove() {
      removePostgresHome(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
