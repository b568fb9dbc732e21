import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface ProcessFigures {
  pid: number;
  name: string;
  /** Memory in use, in megabytes. */
  resident: number;
  /** Most memory so far, in megabytes. */
  peak: number;
  /** Processor time since its start, in seconds. */
  cpu: number;
}

/** Clock ticks in a second in /proc, on every Linux. */
const ticksPerSecond = 100;

/** All descendants of a process. PostgreSQL's processes are counted as one. */
export function processesBelow(root: number): ProcessFigures[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
  const descendants: ProcessFigures[] = [];
  const visit = (parent: number): void => {
    for (const child of all.filter((process) => process.parent === parent)) {
      const backends = child.name.startsWith('postgres') ? all.filter((process) => process.parent === child.pid) : [];
      descendants.push({ ...child, cpu: child.cpu + backends.reduce((sum, { cpu }) => sum + cpu, 0) });
      if (backends.length === 0) visit(child.pid);
    }
  };
  visit(root);
  return descendants;
}

function readProcess(pid: number): (ProcessFigures & { parent: number })[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    // The process's own time, and that of its children that have ended.
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
