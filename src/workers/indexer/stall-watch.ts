import type { Position } from './lag-watch.ts';

/** A Ponder that comes no nearer to the head for this long does not recover by itself. After an outage of a minute, it is back in seconds. */
const stalledMs = 60_000;

/** Between two answers of the endpoints and the database. After a longer silence of either, Ponder may need its time to catch up. */
const longestSilenceMs = 20_000;

/** Least time between two restarts; doubled by each that did not help. A start takes up to half a minute. */
const firstPauseMs = 5 * 60_000;

const longestPauseMs = 60 * 60_000;

/**
 * Decides when a Ponder that stands still is to be restarted. After endpoints that did not answer for some seconds, Ponder's limiter may allow
 * fewer requests than polling for blocks needs, and rises only while all requests succeed; a reorganisation that is too deep stops it, too. A new
 * process has neither.
 *
 * The returned function takes each position as it is read, every few seconds, and answers whether a restart is due: when Ponder is ready, more
 * than `mostBehind` blocks behind, and for a minute no nearer to the head, although endpoints and database answered all the time. It is never due
 * while Ponder starts or reads the past, and not before the pause since the last one is over.
 */
export function createStallWatch(mostBehind: bigint, now: () => number = Date.now): (position: Position) => boolean {
  /** The shortest distance to the head since it stands still, in blocks, and when it was reached. */
  let nearest: { distance: bigint; since: number } | undefined;
  let seenAt: number | undefined;
  let restart: { at: number; pauseMs: number } | undefined;
  return ({ ready, block, head }) => {
    const time = now();
    if (seenAt !== undefined && time - seenAt > longestSilenceMs) nearest = undefined;
    seenAt = time;
    const distance = ready && head !== undefined && block !== null ? head - BigInt(block) : undefined;
    if (distance === undefined || distance <= mostBehind) {
      nearest = undefined;
      if (distance !== undefined && restart && time - restart.at >= restart.pauseMs) restart = undefined;
      return false;
    }
    if (nearest === undefined || distance < nearest.distance) nearest = { distance, since: time };
    if (time - nearest.since < stalledMs) return false;
    if (restart && time - restart.at < restart.pauseMs) return false;
    restart = { at: time, pauseMs: restart ? Math.min(restart.pauseMs * 2, longestPauseMs) : firstPauseMs };
    nearest = undefined;
    return true;
  };
}
