import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface ProcessFigures {
  pid: number;
  name: string;
  /** Megabytes. */
  resident: number;
  peak: number;
  /** Seconds since its start. */
  cpu: number;
}

/** Clock ticks of /proc in a second, on every Linux there is. */
const ticks = 100;

/** The programs that a process has started, and those that they have, each once. PostgreSQL's own children count as one with it. */
export function processesBelow(root: number): ProcessFigures[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
  const found: ProcessFigures[] = [];
  const visit = (parent: number): void => {
    for (const one of all.filter((process) => process.parent === parent)) {
      const backends = one.name.startsWith('postgres') ? all.filter((process) => process.parent === one.pid) : [];
      found.push({ ...one, cpu: one.cpu + backends.reduce((sum, { cpu }) => sum + cpu, 0) });
      if (backends.length === 0) visit(one.pid);
    }
  };
  visit(root);
  return found;
}

function readProcess(pid: number): (ProcessFigures & { parent: number })[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    // Its own, and that of children that have ended.
    const cpu = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
    const name = nameOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean));
    return [{ pid, name, parent: number('PPid'), resident: number('VmRSS') / 1_024, peak: number('VmHWM') / 1_024, cpu }];
  } catch {
    return [];
  }
}

/** Without folders, and without Node's own flags. */
function nameOf(words: string[]): string {
  return words
    .map((word) => path.basename(word))
    .join(' ')
    .replace(/^node (--\S+ )*/, '');
}
