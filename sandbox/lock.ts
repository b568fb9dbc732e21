import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StopError } from '../src/platform/errors.ts';
import { identify, isRunning, notedProcess } from './process-identity.ts';

/**
 * Locks a data folder for this process, and returns a function that releases the lock. The lock of a process that has ended, even by SIGKILL, is
 * taken over at once. Throws `not_possible`.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const file = path.join(dataDir, 'lock');
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)));
  try {
    for (let attempt = 0; !linked(own, file); attempt += 1) {
      const holder = notedProcess(file);
      if ((holder && isRunning(holder)) || attempt > 3) throw inUse(dataDir, holder?.pid);
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(file, { force: true });
}

/** Whether the hard link was created. That is atomic: only one of two processes succeeds. */
function linked(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function inUse(dataDir: string, pid: number | undefined): StopError {
  return new StopError({
    code: 'not_possible',
    message: `Another sandbox (process ${pid ?? 'unknown'}) uses ${dataDir}: stop it, or set another MINTRAIL_DATA_DIR and PORT for this one`,
  });
}
