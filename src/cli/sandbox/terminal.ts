import { log } from '@clack/prompts';

/** What the sandbox tells its user. */
export interface Terminal {
  /** Shows what goes on until `work` is done. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** One line about something that happened. The same line is told once in ten seconds. */
  tell: (line: string) => void;
  print: (text: string) => void;
}

/** A repeated error says nothing new, and would push the banner off the screen. */
const quietMs = 10_000;

/**
 * Progress as a line that is written over on a terminal, and as plain lines elsewhere. Not clack's spinner: it takes the
 * keyboard, and ends the process at Ctrl-C without a chance to stop what is running.
 */
export function createTerminal(interactive = process.stdout.isTTY): Terminal {
  const told = new Map<string, number>();
  const step = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    if (interactive) process.stdout.write(`  ${title} …`);
    const clear = interactive ? '\r\u001B[2K' : '';
    try {
      const result = await work();
      process.stdout.write(`${clear}${interactive ? '✓' : '-'} ${title} (${((performance.now() - begun) / 1000).toFixed(1)} s)\n`);
      return result;
    } catch (error) {
      process.stdout.write(`${clear}${title}: failed\n`);
      throw error;
    }
  };
  return {
    step,
    tell(line) {
      const now = Date.now();
      if (now - (told.get(line) ?? 0) < quietMs) return;
      told.set(line, now);
      if (interactive) log.warn(line);
      else process.stderr.write(`! ${line}\n`);
    },
    print: (text) => void process.stdout.write(`${text}\n`),
  };
}
