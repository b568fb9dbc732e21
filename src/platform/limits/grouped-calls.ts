import { AsyncLocalStorage } from 'node:async_hooks';
import { createFairQueue } from './fair-queue.ts';
import { RateLimited } from './rate-limiter.ts';

/** How calls are grouped. */
export interface GroupOptions<Item> {
  /** Most items of one run. */
  mostItems: number;
  /** Most items that wait. A further call is answered with `rate_limited`, during an outage with its error. */
  mostWaiting: number;
  /** The owner of an item, such as an application. One owner may have a quarter of `mostWaiting`. By default all items have one owner, without that limit. */
  ownerOf?: (item: Item) => string;
  /** Whether an error would end every run alike, such as an outage: then all items get it, those of the run and those that wait. None is tried again. */
  concernsAll: (error: unknown) => boolean;
}

/** The part of `mostWaiting` that one owner may have: there is room for others beside an owner that sends too much. */
const partOfOwner = 0.25;

/** Milliseconds after which a caller may try again when too many items wait. */
const retryMs = 1_000;

interface Call<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes one run of many calls (group commit): what is called while a run is under way forms the next run. A call that meets no run starts
 * at once, so grouping adds no wait without load. Each call gets the result at its item's position. A run takes an item of each owner in turn, and
 * those of one owner in the order of arrival.
 *
 * `run` must do all or nothing. A run that fails is repeated by halves, until the items that fail are alone: these get the error, and their
 * neighbours their results. In an outage no call waits for longer than one run. Throws `rate_limited` when too many items wait, or too
 * many of one owner.
 *
 * A run belongs to many callers, so it sees no asynchronous context of theirs, such as the actor of `actAs`.
 */
export function groupCalls<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { mostItems, mostWaiting, ownerOf, concernsAll }: GroupOptions<Item>,
): (item: Item) => Promise<Result> {
  const inOwnContext = AsyncLocalStorage.snapshot();
  const waiting = createFairQueue<Call<Item, Result>>();
  const mostOfOwner = ownerOf === undefined ? mostWaiting : Math.ceil(mostWaiting * partOfOwner);
  let isRunning = false;
  /** What ended the last run, if it was an outage. */
  let outage: { error: unknown } | undefined;

  const rejectAll = (calls: Call<Item, Result>[], error: unknown) => calls.forEach(({ reject }) => reject(error));

  /** Answers each call of a group. Returns the error that concerns all, if there was one. */
  async function settle(group: Call<Item, Result>[]): Promise<{ error: unknown } | undefined> {
    try {
      const results = await run(group.map(({ item }) => item));
      if (results.length !== group.length) throw new Error(`a run of ${group.length} items returned ${results.length} results`);
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
      return undefined;
    } catch (error) {
      const isOutage = concernsAll(error);
      if (isOutage || group.length === 1) {
        rejectAll(group, error);
        return isOutage ? { error } : undefined;
      }
      const half = Math.ceil(group.length / 2);
      const outageOfFirst = await settle(group.slice(0, half));
      if (outageOfFirst === undefined) return settle(group.slice(half));
      rejectAll(group.slice(half), outageOfFirst.error);
      return outageOfFirst;
    }
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.size() > 0) {
      outage = await settle(waiting.take(mostItems));
      if (outage !== undefined) rejectAll(waiting.take(Infinity), outage.error);
    }
    isRunning = false;
  }

  return async (item) => {
    const owner = ownerOf?.(item) ?? '';
    if (waiting.size() >= mostWaiting || waiting.sizeOf(owner) >= mostOfOwner)
      throw outage === undefined ? new RateLimited('Too many requests are waiting: try again in a second', retryMs) : outage.error;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.add(owner, { item, resolve, reject });
    if (!isRunning) void inOwnContext(runAll);
    return promise;
  };
}
