import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';

const project = path.resolve(import.meta.dirname, '..');

/** What a run was measured with. */
export interface Surroundings {
  /** Short hash of the commit, `+` where the tree has changes that are not committed, `unknown` outside a repository. */
  commit: string;
  /** Cores, processor and memory. */
  machine: string;
  /** Processes that were waiting for a core when it began, on average over a minute: a busy machine measures less. */
  load: number;
}

/** Reads what the run is measured with. `load` is that of the machine before the run. */
export function surroundings(load: number): Surroundings {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  return { commit: commit(), machine: `${processors.length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB`, load };
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
    // Runs change these files, on which nothing that is measured depends.
    const isClean = git('status', '--porcelain', '--', '.', ':!bench/history.*') === '';
    return `${git('rev-parse', '--short', 'HEAD')}${isClean ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}
