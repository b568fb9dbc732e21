import { LRUCache } from 'lru-cache';
import { createFairTurns } from '../../../platform/limits/fair-turns.ts';
import { RateLimited } from '../../../platform/limits/rate-limiter.ts';

/** What came of opening a file. */
export interface Opening {
  /** Why it is not accepted, for the client; `undefined` when it opens. */
  problem: string | undefined;
  /** Whether it ran into a limit of time or memory. */
  isOverLimit: boolean;
  /** Milliseconds of a processor that it took. */
  processorMs: number;
}

/** Opens a file in at most so many milliseconds of a processor. Throws when the signal is aborted. */
export type OpenFile = (file: string, limits: { processorMs: number; signal: AbortSignal }) => Promise<Opening>;

/** A file of an uploader whose request may be aborted. */
export interface OpeningRequest {
  file: string;
  /** Who takes turns with the others. */
  uploader: string;
  signal: AbortSignal;
}

/** An uploader's files that wait. An application's customers may send that many at a time. */
const waitingPerUploader = 20;

/**
 * Opens files, two at a time, in turns between their uploaders: of each, one opens and 20 wait. Files that open quickly wait for costly ones of their uploader,
 * and are refused for them only while most of what the uploader sends is costly (`createOpeningCosts`). Throws `rate_limited`, and the signal's reason.
 */
export function createOpenings(now?: () => number) {
  const takeTurn = createFairTurns({ running: 2, runningPerOwner: 1, waitingPerOwner: waitingPerUploader });
  const costs = createOpeningCosts(now);
  return async (open: OpenFile, { file, uploader, signal }: OpeningRequest): Promise<string | undefined> => {
    costs.requireRoom(uploader);
    return takeTurn(
      uploader,
      async () => {
        // Files of the same uploader may have cost much while this one waited.
        const limitMs = costs.requireRoom(uploader);
        signal.throwIfAborted();
        try {
          const { problem, isOverLimit, processorMs: spentMs } = await open(file, { processorMs: limitMs, signal });
          costs.add(uploader, spentMs);
          if (isOverLimit && limitMs < processorMs.full)
            throw new RateLimited('The last files took too long to open, and so does this one: try again in a minute', 60_000);
          return problem;
        } catch (error) {
          // Otherwise hanging up before the limit would cost nothing.
          if (signal.aborted) costs.add(uploader, limitMs);
          throw error;
        }
      },
      signal,
    );
  };
}

/** Milliseconds of a processor for a file (docs/api.md, Files), and after the uploader's last ones were costly. Most files take 50. */
const processorMs = { full: 5_000, short: 1_500 } as const;

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
interface OpeningCosts {
  /** Milliseconds of a processor that the next file may take. Throws `rate_limited` while most files are costly, and there were many. */
  requireRoom(uploader: string): number;
  /** Counts an opening that took so many milliseconds of a processor. */
  add(uploader: string, spentMs: number): void;
}

/** Creates costs in the memory of this process. `now` is the time in milliseconds. */
function createOpeningCosts(now: () => number = Date.now): OpeningCosts {
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
