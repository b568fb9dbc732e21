import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What the processes of a sandbox are, by what they do. `sandbox` is npm with the supervisor. */
export type ProcessKind = 'PostgreSQL' | 'API' | 'chain worker' | 'common worker' | 'indexer' | 'Anvil' | 'sandbox';

export interface ProcessFigures {
  pid: number;
  name: string;
  kind: ProcessKind;
  /** The process that it belongs to: itself, or the one that has started it, where its command line does not say what it is for. */
  owner: number;
  /** Memory in use, in megabytes. */
  resident: number;
  /** Most memory so far, in megabytes. */
  peak: number;
  /** Processor time since its start, and that of its children that have ended, in seconds. */
  cpu: number;
}

/** Clock ticks in a second in /proc, on every Linux. */
const ticksPerSecond = 100;

/** A process that has a network is a chain worker, whatever else it does. */
const kinds: readonly [RegExp, ProcessKind][] = [
  [/^postgres/, 'PostgreSQL'],
  [/^anvil/, 'Anvil'],
  [/^main\.ts api\b/, 'API'],
  [/^main\.ts worker .*--chain\b/, 'chain worker'],
  [/^main\.ts worker\b/, 'common worker'],
  [/^main\.ts indexer\b/, 'indexer'],
];

/** All descendants of a process. */
export function processesBelow(root: number): ProcessFigures[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
  const children = Map.groupBy(all, ({ parent }) => parent);
  const descendants: ProcessFigures[] = [];
  const visit = (parent: number, owned: Pick<ProcessFigures, 'kind' | 'owner'>): void => {
    for (const child of children.get(parent) ?? []) {
      const kind = kindOf(child.name);
      const own = kind === undefined ? owned : { kind, owner: child.pid };
      descendants.push({ ...child, ...own });
      visit(child.pid, own);
    }
  };
  visit(root, { kind: 'sandbox', owner: root });
  return descendants;
}

function kindOf(name: string): ProcessKind | undefined {
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
}

/** Memory of a process in megabytes, in which pages that several processes share count for each by its share (PSS); 0 when it has ended. */
export function proportionalMegabytes(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

function readProcess(pid: number): (Omit<ProcessFigures, 'kind' | 'owner'> & { parent: number })[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    const cpu = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
    const name = nameOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean));
    return [{ pid, name, parent: number('PPid'), resident: number('VmRSS') / 1_024, peak: number('VmHWM') / 1_024, cpu }];
  } catch {
    return [];
  }
}

/** The command line without folders and without Node's flags. */
function nameOf(words: string[]): string {
  return words
    .map((word) => path.basename(word))
    .join(' ')
    .replace(/^node (--\S+ )*/, '');
}
