import { progress } from '@clack/prompts';
import type { ImportProgress } from '../workers/bank-import.ts';

/** Shows how far the import of a file is. */
export interface ProgressDisplay {
  show(progress: ImportProgress): void;
  end(): void;
}

/** Steps of the bar: one for each half percent. */
const steps = 200;

/** Milliseconds between two lines where there is no terminal: a log stays readable, and nobody thinks it hangs. */
const lineInterval = 5_000;

/** A bar on a terminal, else now and then a line; both on standard error, as standard output is for the answer. */
export function createProgressDisplay(name: string, size: number | undefined): ProgressDisplay {
  return process.stderr.isTTY && size !== undefined && size > 0 ? createBar(name, size) : createLines(name);
}

function createBar(name: string, size: number): ProgressDisplay {
  const bar = progress({ max: steps, output: process.stderr });
  let shown = 0;
  bar.start(name);
  return {
    show({ entries, bytes }) {
      const reached = Math.min(steps, Math.floor((bytes / size) * steps));
      bar.advance(reached - shown, `${name}: ${entries} entries`);
      shown = reached;
    },
    end: () => bar.clear(),
  };
}

function createLines(name: string): ProgressDisplay {
  let last = Date.now();
  return {
    show({ entries }) {
      if (Date.now() - last < lineInterval) return;
      last = Date.now();
      process.stderr.write(`${name}: ${entries} entries so far\n`);
    },
    end() {},
  };
}
