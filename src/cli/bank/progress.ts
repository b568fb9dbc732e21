import { progress } from '@clack/prompts';
import { printable } from '../../platform/printable.ts';
import { printError } from '../print.ts';

/** Shows the progress of an import. */
export interface ProgressDisplay {
  /** How much of a file is imported so far. */
  show(progress: { entries: number; bytes: number }): void;
  end(): void;
}

/** Steps of the bar: one for each half percent. */
const steps = 200;

/** The bar needs 40 columns. On a narrower terminal, or one of unknown width, it would break into many lines. */
const leastColumns = 60;

/** Exit code of a command that Ctrl-C ended. The file is not applied then, because its transaction is rolled back. */
const interrupted = 130;

/** Interval between two lines when there is no terminal: often enough to show that it works, and few lines in a log. */
const lineIntervalMs = 5_000;

/** A bar on a terminal, else a line at intervals, on stderr. `size` is the file's, in bytes, when it is known. */
export function createProgressDisplay(name: string, size: number | undefined): ProgressDisplay {
  const isWide = process.stderr.isTTY && process.stderr.columns >= leastColumns;
  return isWide && size !== undefined && size > 0 ? createBar(name, size) : createLines(name);
}

function createBar(name: string, size: number): ProgressDisplay {
  const bar = progress({ max: steps, output: process.stderr, onCancel: () => process.exit(interrupted) });
  let shown = 0;
  process.once('exit', onExit);
  bar.start(printable(name));
  return {
    show({ entries, bytes }) {
      const reached = Math.min(steps, Math.floor((bytes / size) * steps));
      bar.advance(reached - shown, `${printable(name)}: ${entries} entries`);
      shown = reached;
    },
    end() {
      process.off('exit', onExit);
      bar.clear();
    },
  };
}

/** At Ctrl-C clack ends the process with exit code 0. */
function onExit(): void {
  process.exitCode = interrupted;
}

function createLines(name: string): ProgressDisplay {
  let last = Date.now();
  return {
    show({ entries }) {
      if (Date.now() - last < lineIntervalMs) return;
      last = Date.now();
      printError(`${name}: ${entries} entries so far`);
    },
    end() {},
  };
}
