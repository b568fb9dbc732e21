import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { Running } from '../platform/loop.ts';

/** Between two tries to start what could not be started. */
const startIntervalMs = 5_000;

/** How long closing waits for a start that is under way. */
const closeTimeoutMs = 2_000;

/**
 * Starts the part of a process that serves one network of several, and waits for nothing: a start that hangs delays no other part. Where it cannot be
 * started, logs why and tries again until it can, because the parts of the other networks go on meanwhile. A part whose start outlasts `close` is
 * closed as soon as it has started.
 */
export function startBesideOthers(start: () => Promise<Running>, log: Log): Running {
  const closing = new AbortController();
  const attempt = async (): Promise<Running | undefined> => {
    try {
      return await start();
    } catch (error) {
      log.error({ err: error }, 'a network cannot be served; trying again');
      return undefined;
    }
  };
  const keepTrying = async (): Promise<Running | undefined> => {
    while (!closing.signal.aborted) {
      const part = await attempt();
      if (part !== undefined) return part;
      await delay(startIntervalMs, undefined, { signal: closing.signal }).catch(() => {});
    }
    return undefined;
  };
  const started = keepTrying();
  return {
    async close() {
      closing.abort();
      const isStarted = started.then(() => true);
      const closed = started.then((part) => part?.close());
      // A part that has started is closed however long that takes.
      if (await Promise.race([isStarted, delay(closeTimeoutMs, false)])) await closed;
    },
  };
}
