import { LRUCache } from 'lru-cache';
import { RateLimited } from './rate-limiter.ts';

/** Milliseconds of the first pause, and of the longest. Each is twice as long as the one before. */
const firstPauseMs = 10_000;
const longestPauseMs = 300_000;

/** Milliseconds after which a pause that nothing followed is forgotten. */
const rememberedMs = 3_600_000;

/** Most keys in memory. The key that was used least recently is forgotten first. */
const mostKeys = 10_000;

/** Pauses of those whose work was costly. */
export interface GrowingPauses {
  /** Throws `rate_limited` while the pause of a key lasts. */
  requireOver(key: string): void;
  /** Begins a pause: 10 seconds, and twice as long each time, up to five minutes. An hour without one starts again at 10 seconds. */
  begin(key: string): void;
}

/** Creates pauses in the memory of this process. `now` is the time in milliseconds. */
export function createGrowingPauses(now: () => number = Date.now): GrowingPauses {
  const pauses = new LRUCache<string, { until: number; lengthMs: number }>({ max: mostKeys });
  return {
    requireOver(key) {
      const waitMs = (pauses.get(key)?.until ?? 0) - now();
      if (waitMs > 0) throw new RateLimited('Your last files took too long to check: try again later', waitMs);
    },
    begin(key) {
      const last = pauses.get(key);
      const isRemembered = last !== undefined && last.until + rememberedMs > now();
      const lengthMs = isRemembered ? Math.min(last.lengthMs * 2, longestPauseMs) : firstPauseMs;
      pauses.set(key, { until: now() + lengthMs, lengthMs });
    },
  };
}
