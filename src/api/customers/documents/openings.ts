import { createFairTurns } from '../../../platform/limits/fair-turns.ts';
import type { GrowingPauses } from '../../../platform/limits/growing-pauses.ts';

/** What came of opening a file. */
export interface Opening {
  /** Why it is not accepted, for the client; `undefined` when it opens. */
  problem: string | undefined;
  /** Whether it ran into a limit of time or memory. */
  isOverLimit?: boolean;
}

/** Opens a file. Throws when the signal is aborted. */
export type OpenFile = (file: string, signal: AbortSignal) => Promise<Opening>;

/** A file of an uploader whose request may be aborted. */
export interface OpeningRequest {
  file: string;
  /** Who takes turns with the others. */
  uploader: string;
  signal: AbortSignal;
}

/** Milliseconds from which a file that is not accepted is followed by a pause, also when it ran into no limit. */
const costlyMs = 2_500;

/**
 * Opens files, `atOnce` of them at a time, in turns between their uploaders: of each, one opens and three wait. After a file that was costly and
 * not accepted, the uploader's next ones are refused for a pause. So is one whose request was aborted while it opened: otherwise hanging up
 * before the limit would cost nothing. Throws `rate_limited`, and the signal's reason.
 */
export function createOpenings(open: OpenFile, { atOnce, pauses }: { atOnce: number; pauses: GrowingPauses }) {
  const takeTurn = createFairTurns({ running: atOnce, runningPerOwner: 1, waitingPerOwner: 3 });
  return async ({ file, uploader, signal }: OpeningRequest): Promise<string | undefined> => {
    pauses.requireOver(uploader);
    return takeTurn(
      uploader,
      async () => {
        // A file of the same uploader may have begun a pause while this one waited.
        pauses.requireOver(uploader);
        signal.throwIfAborted();
        const startedAt = performance.now();
        try {
          const { problem, isOverLimit = false } = await open(file, signal);
          const isCostly = isOverLimit || performance.now() - startedAt >= costlyMs;
          if (problem !== undefined && isCostly) pauses.begin(uploader);
          return problem;
        } catch (error) {
          if (signal.aborted) pauses.begin(uploader);
          throw error;
        }
      },
      signal,
    );
  };
}
