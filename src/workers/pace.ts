/** When work whose cost grows with what is under way is done again. */
export interface Pace {
  /** Whether the pause since the last run is over. */
  isDue(): boolean;
  /** Does the work, and begins the pause after it. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Of 20 seconds, such work takes one at most. */
const defaultRestFactor = 20;

/** Shorter runs count as this long, so that the shortest pause is a second. */
const shortestRunMs = 50;

/** Creates the pace of work that takes a bounded share of the time, however long a run is: the pause after each run is `restFactor` times as long as it. */
export function createPace(restFactor = defaultRestFactor): Pace {
  let dueAt = 0;
  return {
    isDue: () => performance.now() >= dueAt,
    async run(work) {
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        const endedAt = performance.now();
        dueAt = endedAt + restFactor * Math.max(endedAt - startedAt, shortestRunMs);
      }
    },
  };
}
