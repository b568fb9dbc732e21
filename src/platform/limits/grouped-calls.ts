import { AsyncLocalStorage } from 'node:async_hooks';
import { RateLimited } from './rate-limiter.ts';

/** How calls are grouped. */
export interface GroupOptions {
  /** Most items of one run. */
  mostItems: number;
  /** Most items that wait. A further call is answered with `rate_limited`. */
  mostWaiting: number;
  /** Whether an error would end every run alike, such as an outage: then all items of the run get it, and no part of them is tried again. */
  concernsAll: (error: unknown) => boolean;
}

/** Milliseconds after which a caller may try again when too many items wait. */
const retryMs = 1_000;

interface Call<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes one run of many calls (group commit): what is called while a run is under way forms the next run, in the order of arrival. A call that
 * meets no run starts at once, so grouping adds no wait without load. Each call gets the result at its item's position.
 *
 * `run` must do all or nothing. A run that fails is repeated by halves, until the items that fail are alone: these get the error, and their
 * neighbours their results. Throws `rate_limited` when too many items wait.
 *
 * A run belongs to many callers, so it sees no asynchronous context of theirs, such as the actor of `actAs`.
 */
export function groupCalls<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { mostItems, mostWaiting, concernsAll }: GroupOptions,
): (item: Item) => Promise<Result> {
  const inOwnContext = AsyncLocalStorage.snapshot();
  let waiting: Call<Item, Result>[] = [];
  let isRunning = false;

  async function settle(group: Call<Item, Result>[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item));
      if (results.length !== group.length) throw new Error(`a run of ${group.length} items returned ${results.length} results`);
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1 || concernsAll(error)) return group.forEach(({ reject }) => reject(error));
      const half = Math.ceil(group.length / 2);
      await settle(group.slice(0, half));
      await settle(group.slice(half));
    }
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, mostItems);
      waiting = waiting.slice(mostItems);
      await settle(group);
    }
    isRunning = false;
  }

  return async (item) => {
    if (waiting.length >= mostWaiting) throw new RateLimited('Too many requests are waiting: try again in a second', retryMs);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ item, resolve, reject });
    if (!isRunning) void inOwnContext(runAll);
    return promise;
  };
}
