import { MintrailError } from '../errors.ts';
import type { LimitStore } from './rate-limit-store.ts';

/** Too many requests. `retryAfterSeconds` is when there will be room again. */
export class RateLimited extends MintrailError {
  readonly retryable = true;
  readonly retryAfterSeconds: number;

  constructor(message: string, milliseconds: number) {
    super({ code: 'rate_limited', message });
    this.retryAfterSeconds = Math.max(1, Math.ceil(milliseconds / 1000));
  }
}

/** Counts requests of many keys against one limit per minute, over all processes that share a store. */
export interface RateLimiter {
  /** Takes one. Answers how many milliseconds to wait for room, 0 when there was some; at once where this process holds some. */
  take(key: string): number | Promise<number>;
  /** Milliseconds until a key that is known here to be at its limit has room; takes nothing and asks nobody. */
  wait(key: string): number;
  /** The same by the store's word, so that what other processes counted counts too. */
  check(key: string): Promise<number>;
}

/**
 * Requests are counted in the process, out of blocks that it takes from the store: a hundredth of the limit at a time, so
 * that a key costs the store at most about a hundred questions a minute, whatever its traffic. What processes take is never more
 * than the limit; what one has taken and does not use is lost to the others until the minute ends.
 */
const blocksPerMinute = 100;

/** Keys remembered at once; the oldest is forgotten first, and with it at most what is left of its block. */
const rememberedKeys = 10_000;

/** Milliseconds by which the end of a window moves when it is another one; the same one moves by what an answer takes. */
const newWindow = 10_000;

interface Held {
  left: number;
  /** When the window ends, and what is left with it. */
  until: number;
  /** The store has no more for this window. */
  exhausted: boolean;
  asking: Promise<void> | undefined;
}

/** A limiter over a store. Without a limit there is nothing to count. */
export function createRateLimiter(store: LimitStore, limit: number): RateLimiter {
  if (limit === 0) return { take: () => 0, wait: () => 0, check: async () => 0 };
  const block = Math.max(1, Math.floor(limit / blocksPerMinute));
  const held = new Map<string, Held>();

  const ask = async (key: string, mine: Held): Promise<void> => {
    try {
      const { granted, milliseconds } = await store.take(key, block);
      const until = Date.now() + milliseconds;
      // What is left of a window that has ended, ended with it.
      if (until - mine.until > newWindow) mine.left = 0;
      mine.left += granted;
      mine.until = until;
      mine.exhausted = granted < block;
    } finally {
      mine.asking = undefined;
    }
  };
  const hold = (key: string): Held => {
    const known = held.get(key);
    if (known) return known;
    if (held.size >= rememberedKeys) held.delete(held.keys().next().value as string);
    const fresh: Held = { left: 0, until: 0, exhausted: false, asking: undefined };
    held.set(key, fresh);
    return fresh;
  };
  const wait = (key: string): number => {
    const mine = held.get(key);
    return mine?.exhausted && mine.left === 0 ? Math.max(0, mine.until - Date.now()) : 0;
  };
  const takeAsking = async (key: string): Promise<number> => {
    for (;;) {
      const mine = hold(key);
      const isCurrent = mine.until > Date.now();
      if (isCurrent && mine.left > 0) {
        mine.left -= 1;
        return 0;
      }
      if (isCurrent && mine.exhausted) return mine.until - Date.now();
      await (mine.asking ??= ask(key, mine));
    }
  };
  return {
    wait,
    take(key) {
      const mine = held.get(key);
      if (mine === undefined || mine.left === 0 || mine.until <= Date.now()) return wait(key) || takeAsking(key);
      mine.left -= 1;
      // The next block is there before this one is used up, so that nobody waits for it.
      if (mine.left < block / 2 && !mine.exhausted) mine.asking ??= ask(key, mine);
      return 0;
    },
    check: async (key) => wait(key) || store.wait(key),
  };
}
