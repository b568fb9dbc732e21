/** When work whose cost grows with what is under way is done again. */
export interface Pace {
  /** Whether the pause since the last run is over. */
  isDue(): boolean;
  /** Does the work, and begins the pause after it. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Of 20 seconds, such work takes one at most, while a run takes less than 3 seconds. */
const defaultRestFactor = 20;

/** Shorter runs, and those that fail, count as this long by default, so that the shortest pause is a second. */
const defaultShortestRunMs = 50;

/** Longer runs do not make the pause longer: `mintrail status` names a comparison that has not been made for ten minutes. */
const longestPauseMs = 60_000;

/**
 * Creates the pace of work that takes a bounded share of the time: the pause after each run is `restFactor` times as long as it, and a minute at most.
 * A run that fails has mostly waited, so the shortest pause follows it. `now` is in milliseconds, by default a clock that never goes back. Runs count as
 * `shortestRunMs` at least.
 */
export function createPace(
  restFactor = defaultRestFactor,
  now: () => number = () => performance.now(),
  shortestRunMs = defaultShortestRunMs,
): Pace {
  let dueAt = 0;
  return {
    isDue: () => now() >= dueAt,
    async run(work) {
      const startedAt = now();
      let tookMs = shortestRunMs;
      try {
        const result = await work();
        tookMs = Math.max(tookMs, now() - startedAt);
        return result;
      } finally {
        dueAt = now() + Math.min(restFactor * tookMs, longestPauseMs);
      }
    },
  };
}
