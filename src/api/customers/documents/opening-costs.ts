import { LRUCache } from 'lru-cache';
import { RateLimited } from '../../../platform/limits/rate-limiter.ts';

/** Milliseconds of a processor for a file (docs/api.md, Files), and after the uploader's last ones were costly. Most files take 50. */
export const processorMs = { full: 5_000, short: 1_500 } as const;

/** Milliseconds of a processor from which a file is costly. */
const costlyMs = 1_000;

/** Costly files in a minute after which the next ones have less time. */
const mostFullTurns = 3;

/** Costly files in a minute after which the next ones are refused, unless more of the uploader's files were quick. Together they take 26 seconds. */
const mostCostly = 10;

const windowMs = 60_000;

/** Most uploaders in memory. The one that was used least recently is forgotten first. */
const mostUploaders = 10_000;

/** What the files of each uploader have cost within the last minute. */
export interface OpeningCosts {
  /** Milliseconds of a processor that the next file may take. Throws `rate_limited` while most files are costly, and there were many. */
  requireRoom(uploader: string): number;
  /** Counts an opening that took so many milliseconds of a processor. */
  add(uploader: string, spentMs: number): void;
}

/** Creates costs in the memory of this process. `now` is the time in milliseconds. */
export function createOpeningCosts(now: () => number = Date.now): OpeningCosts {
  const openings = new LRUCache<string, { at: number; isCostly: boolean }[]>({ max: mostUploaders });
  const recent = (uploader: string) => (openings.get(uploader) ?? []).filter(({ at }) => at > now() - windowMs);
  return {
    requireRoom(uploader) {
      const last = recent(uploader);
      const costly = last.filter(({ isCostly }) => isCostly);
      const [first] = costly;
      if (first && costly.length >= mostCostly && costly.length > last.length / 2)
        throw new RateLimited('The last files took too long to open: try again later', first.at + windowMs - now());
      return costly.length >= mostFullTurns ? processorMs.short : processorMs.full;
    },
    add(uploader, spentMs) {
      openings.set(uploader, [...recent(uploader), { at: now(), isCostly: spentMs >= costlyMs }]);
    },
  };
}
