import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../../src/cli/node-runtime.mjs';
import type { CommandMessage } from './command-runner.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const program = path.join(project, 'src/cli/mintrail.mjs');

/** Nobody can make a folder there, not even root. */
const noFolder = '/dev/null/data';

/** The operator who runs the commands, whoever runs the tests. */
export const testOperator = 'tester';

/** What a command wrote, and its exit code; null when a signal ended its process. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

const idle: ChildProcess[] = [];

/**
 * Runs `mintrail` with these arguments and no other environment variables than these. Resolves when it has ended. Commands that follow one another
 * share a process, because loading the program takes longer than most of them.
 */
export async function mintrail(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const child = idle.pop() ?? startRunner();
  const result = await runIn(child, args, environmentOf(env));
  if (child.exitCode === null && child.signalCode === null) idle.push(child);
  return result;
}

/** Runs `mintrail` with these arguments, in this environment and no other, in a process of {@link startRunner}, one command at a time. */
export function runIn(child: ChildProcess, args: readonly string[], env: Record<string, string | undefined>): Promise<CommandResult> {
  const endMark = `[end ${randomUUID()}] `;
  const ended = outputOf(child, endMark);
  child.send({ args, env, endMark } satisfies CommandMessage);
  return ended;
}

/** Runs `mintrail` like {@link mintrail}, in a process of its own, with this standard input. */
export function mintrailProcess(args: readonly string[], env: Record<string, string> = {}, stdin = ''): Promise<CommandResult> {
  const child = spawn(process.execPath, [program, ...args], { env: environmentOf(env) });
  child.stdin.end(stdin);
  return outputOf(child);
}

/** Whether there is the `script` of util-linux, which gives a program a terminal: other systems have another one, or none. */
export const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

/** Runs `mintrail` like {@link mintrailProcess}, on a terminal where these keys are typed when this text is shown and something has happened before. `stdout` is all that the terminal has shown. */
export function mintrailOnTerminal(
  args: readonly string[],
  env: Record<string, string>,
  { shown, keys, before = async () => {} }: { shown: string; keys: string; before?: () => Promise<unknown> },
): Promise<CommandResult> {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  // Wide enough for a sentence in one line.
  const onTerminal = ['--quiet', '--flush', '--return', '--command', `stty cols 500 rows 50 && exec ${command}`, '/dev/null'];
  const child = spawn('script', onTerminal, { env: { ...environmentOf(env), SHELL: '/bin/sh', TERM: 'xterm' } });
  let output = '';
  child.stdout.on('data', function type(chunk: Buffer) {
    output += chunk.toString();
    if (!output.includes(shown)) return;
    child.stdout.off('data', type);
    void before().then(() => child.stdin.write(keys));
  });
  return outputOf(child);
}

/** A process that runs commands one after another, of this clone of the project and in it, as this user. It keeps nobody waiting, and ends when this one does. */
export function startRunner({ clone = project, ...user }: { clone?: string; uid?: number; gid?: number } = {}): ChildProcess {
  const runner = path.join(clone, 'test/support/processes/command-runner.ts');
  const child = fork(runner, { ...user, cwd: clone, env: processEnvironment, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.setMaxListeners(0);
  return child;
}

function environmentOf(env: Record<string, string>) {
  return { PATH: process.env['PATH'], MINTRAIL_DATA_DIR: noFolder, OPERATORS: `${userInfo().username}:${testOperator}`, ...env };
}

/** What a process writes until it has ended, or until the mark, behind which is the exit code, has appeared on both streams. */
function outputOf(child: ChildProcess, endMark?: string): Promise<CommandResult> {
  const output = { stdout: '', stderr: '' };
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = (result: CommandResult) => {
      stop.abort();
      resolve(result);
    };
    const look = () => {
      if (endMark === undefined) return;
      const [stdout, stderr] = [output.stdout, output.stderr].map((text) => text.split(endMark));
      if (stdout?.[1]?.endsWith('\n') && stderr?.[1]?.endsWith('\n'))
        end({ code: Number(stdout[1]), stdout: stdout[0] ?? '', stderr: stderr[0] ?? '' });
    };
    for (const name of ['stdout', 'stderr'] as const) {
      const read = (chunk: Buffer) => {
        output[name] += chunk.toString();
        look();
      };
      child[name]?.on('data', read);
      stop.signal.addEventListener('abort', () => child[name]?.off('data', read));
    }
    const close = (code: number | null) => end({ code, ...output });
    child.once('close', close);
    stop.signal.addEventListener('abort', () => child.off('close', close));
  });
}
