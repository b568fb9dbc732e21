import { LRUCache } from 'lru-cache';
import { MintrailError } from '../errors.ts';
import type { LimitStore } from './rate-limit-store.ts';

/** Too many requests. There will be room again after `retryAfterSeconds`. */
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
  /** Counts a request. Returns 0 when it is allowed, else the milliseconds to wait. Returns without a promise while this process has a block. */
  take(key: string): number | Promise<number>;
  /** Milliseconds until a key that this process knows to be at its limit has room, else 0. Counts nothing and asks no store. */
  wait(key: string): number;
  /** Counts a request as `take` does, before it is known whether it counts. */
  hold(key: string): Promise<Hold>;
}

/** A request that is counted until it turns out that it does not count. */
interface Hold {
  /** As of `take`: 0 when the request is allowed, else the milliseconds to wait. */
  waitMs: number;
  /** Counts the request no longer. Only this process may take it again, while the window lasts. Call it once at most. */
  giveBack(): void;
}

/**
 * A process takes requests from the store in blocks of a hundredth of the limit and counts them itself. So a key costs the store at most
 * about a hundred queries a minute, whatever its traffic. All processes together never take more than the limit. What one of them has taken
 * and does not use is lost to the others until the minute ends.
 */
const blocksPerMinute = 100;

/** Most keys in memory. The key that was used least recently is dropped first, and with it at most the rest of its block. */
const mostKeys = 10_000;

/** An end of a window that lies this much later belongs to a new window. The end of the same window moves only by the time of an answer. */
const newWindowMs = 10_000;

interface Block {
  /** Requests that may still be taken. */
  left: number;
  /** When the window ends, and with it this block: milliseconds since 1970. */
  until: number;
  /** The store has no more for this window. */
  isExhausted: boolean;
  /** The request for the next block, while it is under way. */
  request: Promise<void> | undefined;
}

/** A limiter over a store. Without a limit there is nothing to count. */
export function createRateLimiter(store: LimitStore, limit: number): RateLimiter {
  if (limit === 0) return { take: () => 0, wait: () => 0, hold: async () => ({ waitMs: 0, giveBack: () => {} }) };
  const blockSize = Math.max(1, Math.floor(limit / blocksPerMinute));
  const blocks = new LRUCache<string, Block>({ max: mostKeys });

  const request = async (key: string, block: Block): Promise<void> => {
    try {
      const { granted, milliseconds } = await store.take(key, blockSize);
      const until = Date.now() + milliseconds;
      // The rest of the window before has ended with it.
      if (until - block.until > newWindowMs) block.left = 0;
      block.left += granted;
      block.until = until;
      block.isExhausted = granted < blockSize;
    } finally {
      block.request = undefined;
    }
  };
  const blockOf = (key: string): Block => {
    const known = blocks.get(key);
    if (known) return known;
    const fresh: Block = { left: 0, until: 0, isExhausted: false, request: undefined };
    blocks.set(key, fresh);
    return fresh;
  };
  const wait = (key: string): number => {
    const block = blocks.get(key);
    return block?.isExhausted && block.left === 0 ? Math.max(0, block.until - Date.now()) : 0;
  };
  const takeFromStore = async (key: string): Promise<number> => {
    for (;;) {
      const block = blockOf(key);
      const isCurrent = block.until > Date.now();
      if (isCurrent && block.left > 0) {
        block.left -= 1;
        return 0;
      }
      if (isCurrent && block.isExhausted) return block.until - Date.now();
      await (block.request ??= request(key, block));
    }
  };
  const take = (key: string): number | Promise<number> => {
    const block = blocks.get(key);
    if (block === undefined || block.left === 0 || block.until <= Date.now()) return wait(key) || takeFromStore(key);
    block.left -= 1;
    // The next block arrives before this one is used up, so that no request waits for it.
    if (block.left < blockSize / 2 && !block.isExhausted) block.request ??= request(key, block);
    return 0;
  };
  return {
    wait,
    take,
    async hold(key) {
      const waitMs = await take(key);
      const block = blocks.get(key);
      const until = block?.until ?? 0;
      const giveBack = () => {
        // What was taken in a window before is no part of this one.
        if (waitMs === 0 && block !== undefined && block.until - until <= newWindowMs) block.left += 1;
      };
      return { waitMs, giveBack };
    },
  };
}
