import { exitCodes, renderError } from '../render-error.ts';
import { removeSandbox } from './fresh.ts';
import { lockDataDir } from './lock.ts';
import { runSandbox } from './run-sandbox.ts';
import { createTerminal } from './terminal.ts';

export interface SandboxCommand {
  dataDir: string;
  port: number;
  blockTimeSeconds: number;
  confirmations: number;
  fresh: boolean;
}

/** One press of Ctrl-C arrives more than once: from the terminal, and passed on by npm and by the script that npm runs. */
const samePressMs = 1_000;

/** Runs the sandbox until it is told to stop, and ends the process. Asked a second time, it no longer waits. */
export async function sandbox({ dataDir, port, blockTimeSeconds, confirmations, fresh }: SandboxCommand): Promise<void> {
  const terminal = createTerminal();
  const stop = new AbortController();
  const release = lockDataDir(dataDir);
  process.once('exit', release);
  onStop(
    () => {
      terminal.print('\nStopping. Ctrl-C again does not wait.');
      stop.abort();
    },
    () => process.exit(exitCodes.failed),
  );
  try {
    if (fresh) await terminal.step('Deleting what was stored', () => removeSandbox(dataDir));
    const running = await runSandbox({ dataDir, port, blockTimeSeconds, confirmations, terminal, stop: stop.signal });
    await stopped(stop.signal);
    await running.close();
    terminal.print('Stopped.');
    process.exit(exitCodes.ok);
  } catch (error) {
    process.exit(stop.signal.aborted ? exitCodes.ok : renderError(error));
  }
}

function onStop(first: () => void, again: () => void): void {
  let asked: number | undefined;
  const ask = (): void => {
    if (asked === undefined) first();
    else if (Date.now() - asked > samePressMs) again();
    asked ??= Date.now();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  // The script that started this process has been killed.
  if (process.channel) process.once('disconnect', ask);
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
