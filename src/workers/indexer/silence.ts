/** After a longer pause between two looks nobody knows what was there meanwhile, as after an outage of the database. */
export const longestPauseMs = 10_000;

/**
 * Watches the signs of life of something, such as the times of its heartbeats. The returned function takes each as it is read, every few seconds, and answers
 * since when it has been the same, in milliseconds.
 */
export function createSilenceWatch(now: () => number = Date.now): (sign: string | undefined) => number {
  let last: { sign: string | undefined; since: number; readAt: number } | undefined;
  return (sign) => {
    const readAt = now();
    const isSame = last !== undefined && last.sign === sign && readAt - last.readAt <= longestPauseMs;
    last = { sign, since: isSame && last !== undefined ? last.since : readAt, readAt };
    return last.since;
  };
}
