import { isDatabaseOutage } from './database.ts';
import { MintrailError } from './errors.ts';
import type { Log } from './log.ts';
import type { Running } from './running.ts';
import { createSignal } from './signal.ts';

export interface LoopOptions {
  name: string;
  /** Longest sleep between two turns, in milliseconds. */
  interval: number;
  turn: () => Promise<void>;
  log: Log;
}

/** A loop that can be woken before its interval is over. */
export interface Loop extends Running {
  wake(): void;
}

/** Pause after a failed turn, in milliseconds: long enough not to drown the log, short enough to be back soon after an outage. */
const pauseAfterFailure = 1_000;

/** Runs `turn` again and again until closed. A turn that fails is logged and tried again: outages end by themselves. */
export function startLoop({ name, interval, turn, log }: LoopOptions): Loop {
  const signal = createSignal();
  const state = { closed: false };
  const run = async () => {
    while (!state.closed) {
      let pause = interval;
      try {
        await turn();
      } catch (error) {
        const isOutage = isDatabaseOutage(error) || (error instanceof MintrailError && error.retryable);
        log[isOutage ? 'warn' : 'error']({ loop: name, err: error }, 'a turn failed; it will be tried again');
        pause = Math.max(interval, pauseAfterFailure);
      }
      if (!state.closed) await signal.wait(pause);
    }
  };
  const ended = run();
  return {
    wake: signal.set,
    async close() {
      state.closed = true;
      signal.set();
      await ended;
    },
  };
}
