import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StopError } from '../../platform/errors.ts';
import { identify, isRunning, notedProcess } from '../../platform/process/process-identity.ts';

/** Takes the data folder for this process alone; returns the way to give it back. A lock whose process is gone is no obstacle. */
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

/** A link appears complete and at once, or not at all: two processes cannot both have made it. */
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
    code: 'data_dir_in_use',
    message: `Another sandbox (process ${pid ?? 'unknown'}) uses ${dataDir}: stop it, or give this one its own MINTRAIL_DATA_DIR and PORT`,
  });
}
