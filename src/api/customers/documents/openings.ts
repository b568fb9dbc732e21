import { createFairTurns } from '../../../platform/limits/fair-turns.ts';
import { RateLimited } from '../../../platform/limits/rate-limiter.ts';
import { createOpeningCosts, processorMs } from './opening-costs.ts';

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
