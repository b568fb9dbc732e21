import type { NetworkSettings } from '../platform/settings.ts';

/** Short enough for what becomes due by the clock, such as another try after an outage. */
const shortestMs = 1_000;
const longestMs = 5_000;

/** Blocks come a little early or late. */
const blocks = 1.5;

/**
 * Milliseconds between two sweeps of a loop that every new block of a network wakes: more than a block takes, so that the sweep costs nothing while
 * blocks come, and finds what a lost wake-up has left when none comes.
 */
export function blockSweepMs({ blockTimeSeconds }: Pick<NetworkSettings, 'blockTimeSeconds'>): number {
  return Math.min(Math.max(blockTimeSeconds * 1_000 * blocks, shortestMs), longestMs);
}
