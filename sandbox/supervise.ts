import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { RetryError, messageOf } from '../src/platform/errors.ts';
import type { Exit } from '../src/platform/process/guarded-process.ts';
import type { Running } from '../src/platform/loop.ts';

/** A process that may end by itself. */
export interface Restartable extends Running {
  exited: Promise<Exit>;
}

/** A process that is restarted whenever it ends, until it is closed. */
export interface Supervised extends Running {
  /** Rejects when the process ends again and again right after its start. */
  failed: Promise<never>;
}

/** What is supervised: `first` runs already, `start` makes the next. */
export interface SuperviseOptions<T extends Restartable> {
  name: string;
  start: () => Promise<T> | T;
  first: T;
  /** Called with a line for the user. */
  report: (line: string) => void;
  logFile: string;
}

/** A process that ran this long was started successfully, so the pause before its next start is short again. */
const successfulRunMs = 10_000;
const firstPauseMs = 300;
const longestPauseMs = 10_000;

/** After this many short runs in a row it counts as unable to start. */
const mostShortRuns = 4;

/** Restarts a process whenever it ends by itself, with growing pauses. `first` runs already. */
export function supervise<T extends Restartable>({ name, start, first, report, logFile }: SuperviseOptions<T>): Supervised {
  const closing = new AbortController();
  const failure = Promise.withResolvers<never>();
  // During the start somebody waits for this; afterwards nobody does, and the process is only restarted.
  failure.promise.catch(() => {});
  let current: T = first;

  const watch = async (): Promise<void> => {
    let shortRuns = 0;
    let begun = Date.now();
    for (;;) {
      const exit = await current.exited;
      if (closing.signal.aborted) return;
      shortRuns = Date.now() - begun < successfulRunMs ? shortRuns + 1 : 0;
      if (shortRuns === mostShortRuns) failure.reject(startFailure(name, exit, logFile));
      report(`${name} ended (${exit.signal ?? `exit code ${exit.code}`}); restarting it. Log: ${logFile}`);
      const next = await startAgain(shortRuns);
      if (!next) return;
      begun = Date.now();
      current = next;
    }
  };

  const startAgain = async (shortRuns: number): Promise<T | undefined> => {
    for (let attempt = shortRuns; !closing.signal.aborted; attempt += 1) {
      await delay(Math.min(firstPauseMs * 2 ** attempt, longestPauseMs), undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return undefined;
      try {
        const next = await start();
        // Closed while it was starting.
        if (closing.signal.aborted) await next.close();
        return next;
      } catch (error) {
        report(`${name} cannot be started: ${messageOf(error)}`);
      }
    }
    return undefined;
  };

  const watching = watch();
  return {
    failed: failure.promise,
    async close() {
      closing.abort();
      await current.close();
      await watching;
    },
  };
}

function startFailure(name: string, exit: Exit, logFile: string): RetryError {
  return new RetryError({
    code: 'not_possible_yet',
    message: `${name} ends as soon as it is started (${exit.signal ?? `exit code ${exit.code}`}). The end of ${logFile}:\n${lastLines(logFile)}`,
  });
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n') : '';
}
