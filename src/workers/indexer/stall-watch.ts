import type { Position } from './lag-watch.ts';

/** A Ponder that reads no new block for this long does not recover by itself. After an outage of a minute, it is back in seconds. */
const stillMs = 60_000;

/** One that goes on more slowly than its chain may need its time, also for a restart. After so long it is its limiter that holds it up. */
const slowMs = 10 * 60_000;

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
 * than `mostBehind` blocks behind, and reads no new block for a minute, or comes no nearer to the head for ten, although endpoints and database answered all the
 * time. It is never due
 * while Ponder starts or reads the past, and not before the pause since the last one is over.
 */
export function createStallWatch(mostBehind: bigint, now: () => number = Date.now): (position: Position) => boolean {
  /** Its newest block, and the shortest distance to the head, in blocks, and since when each is the same, while it is behind. */
  let current: Mark | undefined;
  let nearest: Mark | undefined;
  let seenAt: number | undefined;
  let restart: { at: number; pauseMs: number } | undefined;
  return ({ ready, block, head }) => {
    const time = now();
    if (seenAt !== undefined && time - seenAt > longestSilenceMs) current = nearest = undefined;
    seenAt = time;
    const distance = ready && head !== undefined && block !== null ? head - BigInt(block) : undefined;
    if (distance === undefined || distance <= mostBehind) {
      current = nearest = undefined;
      if (distance !== undefined && restart && time - restart.at >= restart.pauseMs) restart = undefined;
      return false;
    }
    const newest = BigInt(block ?? 0);
    if (newest !== current?.value) current = { value: newest, since: time };
    if (nearest === undefined || distance < nearest.value) nearest = { value: distance, since: time };
    if (time - current.since < stillMs && time - nearest.since < slowMs) return false;
    if (restart && time - restart.at < restart.pauseMs) return false;
    restart = { at: time, pauseMs: restart ? Math.min(restart.pauseMs * 2, longestPauseMs) : firstPauseMs };
    current = nearest = undefined;
    return true;
  };
}

/** A value, and since when it is the same, in milliseconds. */
interface Mark {
  value: bigint;
  since: number;
}
