import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Rare enough to leave the disk to the database, and often enough to meet every stall of some tenths of a second. */
const intervalMs = 50;

const page = Buffer.alloc(8_192, 1);

/**
 * Flushes a page to the disk of this folder again and again, as a commit does, and measures how long that takes. What it returns ends that, and answers the
 * milliseconds of each flush: a commit of the database can be no faster.
 */
export function watchDiskFlushes(folder: string): () => Promise<number[]> {
  const ending = new AbortController();
  const times = flushUntil(path.join(folder, `flush-${randomUUID()}`), ending.signal);
  return () => {
    ending.abort();
    return times;
  };
}

async function flushUntil(file: string, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  const handle = await open(file, 'w', 0o600);
  try {
    while (!signal.aborted) {
      const startedAt = performance.now();
      await handle.write(page, 0, page.length, 0);
      await handle.datasync();
      times.push(performance.now() - startedAt);
      await delay(intervalMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    await handle.close();
    await rm(file);
  }
  return times;
}
