import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { RetryError, messageOf } from '../../platform/errors.ts';
import type { Exit } from '../../platform/process/guarded-process.ts';
import type { Running } from '../../platform/loop.ts';

/** Something that runs and may end by itself. */
export interface Part extends Running {
  exited: Promise<Exit>;
}

export interface Supervised extends Running {
  /** Rejects when the part ends again and again without ever having lived. */
  failed: Promise<never>;
}

export interface SuperviseOptions<T extends Part> {
  name: string;
  start: () => Promise<T> | T;
  first: T;
  /** Tells the user. */
  report: (line: string) => void;
  logFile: string;
}

/** A part that lived this long was not broken from the start, so the pause before its next start is short again. */
const livedMs = 10_000;
const firstPauseMs = 300;
const longestPauseMs = 10_000;

/** So many short lives in a row mean that it cannot start at all. */
const mostShortLives = 4;

/** Starts a part again whenever it ends by itself, with growing pauses. */
export function supervise<T extends Part>({ name, start, first, report, logFile }: SuperviseOptions<T>): Supervised {
  const closing = new AbortController();
  const failure = Promise.withResolvers<never>();
  // Whoever waits for it sees it; once all is up nobody does, and the part is simply tried again.
  failure.promise.catch(() => {});
  let current: T = first;

  const watch = async (): Promise<void> => {
    let shortLives = 0;
    let begun = Date.now();
    for (;;) {
      const exit = await current.exited;
      if (closing.signal.aborted) return;
      shortLives = Date.now() - begun < livedMs ? shortLives + 1 : 0;
      if (shortLives === mostShortLives) failure.reject(neverLived(name, exit, logFile));
      report(`${name} ended (${exit.signal ?? `exit code ${exit.code}`}); starting it again. Log: ${logFile}`);
      const next = await startAgain(shortLives);
      if (!next) return;
      begun = Date.now();
      current = next;
    }
  };

  const startAgain = async (shortLives: number): Promise<T | undefined> => {
    for (let attempt = shortLives; !closing.signal.aborted; attempt += 1) {
      await delay(Math.min(firstPauseMs * 2 ** attempt, longestPauseMs), undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return undefined;
      try {
        const next = await start();
        // Told to stop while it was starting.
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

function neverLived(name: string, exit: Exit, logFile: string): RetryError {
  return new RetryError({
    code: 'process_not_started',
    message: `${name} ends as soon as it is started (${exit.signal ?? `exit code ${exit.code}`}). The end of ${logFile}:\n${lastLines(logFile)}`,
  });
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n') : '';
}
