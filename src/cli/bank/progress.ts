import { progress } from '@clack/prompts';
import type { ImportProgress } from '../../statements/import.ts';

/** Shows how far the import of a file is. */
export interface ProgressDisplay {
  show(progress: ImportProgress): void;
  end(): void;
}

/** Steps of the bar: one for each half percent. */
const steps = 200;

/** The bar takes 40 of them; narrower, or where a terminal does not tell its width, it would break into many lines. */
const leastColumns = 60;

/** As a shell has it for a command that Ctrl-C ended. Nothing of the file is applied then: its transaction ends with us. */
const interrupted = 130;

/** Milliseconds between two lines where there is no terminal: a log stays readable, and nobody thinks it hangs. */
const lineInterval = 5_000;

/** A bar on a terminal, else now and then a line; both on standard error, as standard output is for the answer. */
export function createProgressDisplay(name: string, size: number | undefined): ProgressDisplay {
  const isWide = process.stderr.isTTY && process.stderr.columns >= leastColumns;
  return isWide && size !== undefined && size > 0 ? createBar(name, size) : createLines(name);
}

function createBar(name: string, size: number): ProgressDisplay {
  const bar = progress({ max: steps, output: process.stderr, onCancel: () => process.exit(interrupted) });
  let shown = 0;
  process.once('exit', onExit);
  bar.start(name);
  return {
    show({ entries, bytes }) {
      const reached = Math.min(steps, Math.floor((bytes / size) * steps));
      bar.advance(reached - shown, `${name}: ${entries} entries`);
      shown = reached;
    },
    end() {
      process.off('exit', onExit);
      bar.clear();
    },
  };
}

/** Clack ends the process by itself on Ctrl-C, as if all had gone well. */
function onExit(): void {
  process.exitCode = interrupted;
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
