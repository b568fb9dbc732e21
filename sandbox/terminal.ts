import { log } from '@clack/prompts';
import { printable } from '../src/platform/printable.ts';
import { print, printError } from '../src/cli/print.ts';

/** The sandbox's output for its user. */
export interface Terminal {
  /** Shows a step until `work` is done, and how long it took. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** Prints a warning, the same one at most once in ten seconds. */
  warn: (line: string) => void;
  /** Prints lines. */
  print: (text: string) => void;
}

/** A repeated warning tells nothing new and would push the banner off the screen. */
const quietMs = 10_000;

/**
 * Shows progress on one line of a terminal, and as plain lines elsewhere. Not by clack's spinner, which takes over the keyboard and ends the
 * process at Ctrl-C before anything could be stopped.
 */
export function createTerminal(interactive = process.stdout.isTTY): Terminal {
  const warnedAt = new Map<string, number>();
  const step = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    if (interactive) process.stdout.write(`  ${title} …`);
    const clear = interactive ? '\r\u001B[2K' : '';
    try {
      const result = await work();
      process.stdout.write(`${clear}${interactive ? '✓' : '-'} ${title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
      return result;
    } catch (error) {
      process.stdout.write(`${clear}${title}: failed\n`);
      throw error;
    }
  };
  return {
    step,
    warn(line) {
      const now = Date.now();
      if (now - (warnedAt.get(line) ?? 0) < quietMs) return;
      warnedAt.set(line, now);
      if (interactive) log.warn(printable(line));
      else printError(`! ${line}`);
    },
    print,
  };
}
