import { RateLimited } from './rate-limiter.ts';

/** Work that waits for its turn at most. Beyond it nothing more is taken on: the wait would be longer than a client's patience. */
const maxWaiting = 500;

/** Milliseconds after which a client may try again when too much work waits. */
const retryMs = 1_000;

/** Runs work, `concurrency` at a time, in the order of arrival. Throws `rate_limited` when 500 wait. */
export function createFewAtOnce(concurrency: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw new RateLimited('Too many requests are waiting: try again in a second', retryMs);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place is handed on, so that nobody who comes now takes it.
      if (next) next();
      else running -= 1;
    }
  };
}
