import { readdirSync, readFileSync } from 'node:fs';

export interface FoundProcess {
  pid: number;
  parent: number;
  command: string;
}

/** A process and all that it has started, and what they have, the starter first. */
export function processTree(root: number): FoundProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
  const found = all.filter(({ pid }) => pid === root);
  // Grows while it is walked through: each one's children come behind it.
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

/** Sends a signal to each; one that has gone in the meantime is no error. */
export function signalAll(processes: readonly FoundProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone.
    }
  }
}

function readProcess(pid: number): FoundProcess[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
  } catch {
    return [];
  }
}
