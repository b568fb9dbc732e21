import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { Running } from '../platform/loop.ts';

/** Between two tries to start what could not be started. */
const startIntervalMs = 5_000;

/**
 * Starts the part of a process that serves one network of several. Where it cannot be started, logs why and tries again until it can, because the
 * parts of the other networks go on meanwhile.
 */
export async function startBesideOthers(start: () => Promise<Running>, log: Log): Promise<Running> {
  const closing = new AbortController();
  const attempt = async (): Promise<Running | undefined> => {
    try {
      return await start();
    } catch (error) {
      log.error({ err: error }, 'a network cannot be served; trying again');
      return undefined;
    }
  };
  const keepTrying = async (first: Running | undefined): Promise<Running | undefined> => {
    for (let part = first; ; part = await attempt()) {
      if (part !== undefined || closing.signal.aborted) return part;
      await delay(startIntervalMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return undefined;
    }
  };
  const started = keepTrying(await attempt());
  return {
    async close() {
      closing.abort();
      await (await started)?.close();
    },
  };
}
