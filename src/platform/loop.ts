import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseOutage } from './database.ts';
import { MintrailError } from './errors.ts';
import type { Log } from './log.ts';

/** A part of Mintrail that runs until it is closed. `close` finishes what is under way and lets go of all it holds. */
export interface Running {
  close(): Promise<void>;
}

/** Calls `wake` whenever there may be something to do, until what it returns is closed. */
export type WakeSource = (wake: () => void) => Running;

/** What a loop does in each turn, and when it takes the next. */
export interface LoopOptions {
  name: string;
  /** Longest sleep between two turns: the sweep that finds whatever no wake-up came for. */
  intervalMs: number;
  /** What ends the sleep early: a queue, a notification, a new block. */
  wokenBy?: WakeSource[];
  /** Returns the milliseconds after which the next turn is due, where that is sooner than the interval. */
  turn: () => Promise<number | void>;
  log: Log;
}

/** A loop that can be woken before its interval is over. */
export interface Loop extends Running {
  wake(): void;
  /** Wakes it, and resolves when a turn that began after the call has ended, however that ended, or when the loop is closed. */
  turned(): Promise<void>;
}

/** Pause after a failed turn: long enough not to drown the log, short enough to be back soon after an outage. */
const pauseAfterFailureMs = 1_000;

/**
 * Runs `turn` again and again until closed, never twice at the same time: when it is woken, and at the latest after the interval.
 * A wake-up during a turn brings one more turn. A turn that throws is logged and tried again, after a second at the
 * earliest.
 */
export function startLoop({ name, intervalMs, wokenBy = [], turn, log }: LoopOptions): Loop {
  const signal = createSignal();
  const closing = new AbortController();
  let waiting: (() => void)[] = [];
  const run = async () => {
    while (!closing.signal.aborted) {
      let sleepMs = intervalMs;
      const waited = waiting;
      waiting = [];
      try {
        sleepMs = Math.min((await turn().finally(() => waited.forEach((resolve) => resolve()))) ?? intervalMs, intervalMs);
      } catch (error) {
        const isOutage = isDatabaseOutage(error) || (error instanceof MintrailError && error.retryable);
        log[isOutage ? 'warn' : 'error']({ loop: name, err: error }, 'a turn failed; it will be tried again');
        // Wake-ups are kept meanwhile: during an outage they would repeat the failure as often as they come.
        await delay(pauseAfterFailureMs, undefined, { signal: closing.signal }).catch(() => {});
        sleepMs = Math.max(0, intervalMs - pauseAfterFailureMs);
      }
      if (!closing.signal.aborted) await signal.wait(sleepMs);
    }
  };
  const sources = wokenBy.map((source) => source(signal.set));
  const ended = run();
  return {
    wake: signal.set,
    turned() {
      const turned = new Promise<void>((resolve) => void (closing.signal.aborted ? resolve() : waiting.push(resolve)));
      signal.set();
      return turned;
    },
    async close() {
      closing.abort();
      signal.set();
      await Promise.all([...sources.map((source) => source.close()), ended]);
      for (const resolve of waiting) resolve();
    },
  };
}

/** Auto-reset event. */
interface Signal {
  /** Ends the wait. While nobody waits, the next wait returns at once. */
  set: () => void;
  /** Resolves when set, or after `milliseconds`. */
  wait(milliseconds: number): Promise<void>;
}

function createSignal(): Signal {
  let isSet = false;
  let wake: (() => void) | undefined;
  return {
    set() {
      isSet = true;
      wake?.();
    },
    async wait(milliseconds) {
      if (!isSet) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      isSet = false;
    },
  };
}
