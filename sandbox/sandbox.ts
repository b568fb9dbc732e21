import type { Chain } from '../src/platform/chains.ts';
import { exitCodes, renderError } from '../src/cli/render-error.ts';
import { deleteSandboxData } from './delete-data.ts';
import { requireValidSettings } from './environment.ts';
import { lockDataDir } from './lock.ts';
import type { ForkRequest } from './fork/fork-options.ts';
import { planForks } from './fork/plan-forks.ts';
import { runSandbox } from './run-sandbox.ts';
import { createTerminal } from './terminal.ts';

/** Options of `mintrail sandbox`; `fresh` deletes the stored data first. */
export interface SandboxCommand {
  dataDir: string;
  port: number;
  consolePort: number;
  blockTimeSeconds: number;
  confirmations: number;
  fresh: boolean;
  /** Live networks to fork. */
  forks: readonly ForkRequest[];
  /** The chains besides forks that the first start makes; undefined for the usual ones. */
  freshChains: readonly Chain[] | undefined;
  /** Whether the database is reached through a PgBouncer. */
  pgbouncer: boolean;
}

/** One press of Ctrl-C arrives several times: from the terminal, from npm, and from the script that npm runs. */
const samePressMs = 1_000;

/** Runs the sandbox until a signal stops it, and ends the process. A second signal ends it at once. */
export async function sandbox(command: SandboxCommand): Promise<void> {
  const { dataDir, fresh, forks: requests, ...options } = command;
  const terminal = createTerminal();
  // Before anything is deleted or made.
  requireValidSettings(process.env);
  const forks = await planForks({ dataDir, fresh, requests });
  const stop = new AbortController();
  const release = lockDataDir(dataDir);
  process.once('exit', release);
  onStop(
    () => {
      terminal.print('\nStopping. Press Ctrl-C again to stop at once.');
      stop.abort();
    },
    () => process.exit(exitCodes.failed),
  );
  try {
    if (fresh) await terminal.step('Deleting the stored data', () => deleteSandboxData(dataDir));
    const running = await runSandbox({ ...options, dataDir, forks, terminal, stop: stop.signal });
    await stopped(stop.signal);
    await running.close();
    terminal.print('Stopped.');
    process.exit(exitCodes.ok);
  } catch (error) {
    process.exit(stop.signal.aborted ? exitCodes.ok : renderError(error));
  }
}

function onStop(first: () => void, again: () => void): void {
  let firstRequestAt: number | undefined;
  const request = (): void => {
    if (firstRequestAt === undefined) first();
    else if (Date.now() - firstRequestAt > samePressMs) again();
    firstRequestAt ??= Date.now();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);
  // The channel closes when the script that started this process is killed.
  if (process.channel) process.once('disconnect', request);
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
