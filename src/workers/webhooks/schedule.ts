import { type AfterAttempt, deliverySeconds } from '../../ledger/webhooks/attempts.ts';

/**
 * When a delivery that failed is tried again: ten attempts within 12 hours (docs/api.md, Deliveries). The pause after the nth
 * attempt is 3 s × 3^(n-1): 3 s, 9 s, 27 s, 81 s, 4 min, 12 min, 36 min, 1 h 49 min, 5 h 28 min. These nine are
 * 3 s × (3^9 - 1) / 2 = 29,523 s. Up to a third of jitter makes it 39,364 s, and ten attempts of at most 10 s 39,464 s: 10 h 58 min.
 */
export const schedule = { attempts: 10, firstPauseSeconds: 3, factor: 3, jitter: 1 / 3, withinSeconds: deliverySeconds } as const;

/** Seconds to wait after the nth attempt; `random` is from 0 to 1. */
export function pauseAfter(attempt: number, random: number): number {
  return schedule.firstPauseSeconds * schedule.factor ** (attempt - 1) * (1 + schedule.jitter * random);
}

/** A failed attempt of a delivery. */
export interface FailedAttempt {
  /** Which one it was, from 1. */
  attempt: number;
  /** Seconds since the first one began, without those for which a further one was due and not made. */
  ageSeconds: number;
  /** For how long the receiver asks to be left alone. */
  retryAfterSeconds?: number | undefined;
}

/**
 * What follows a failed attempt: a retry, or none when it would come too late. A receiver that asks for a longer pause gets it, up to the end of the
 * time in which deliveries are tried.
 */
export function afterFailure({ attempt, ageSeconds, retryAfterSeconds = 0 }: FailedAttempt, random = Math.random()): AfterAttempt {
  if (attempt >= schedule.attempts) return 'failed';
  const leftSeconds = schedule.withinSeconds - ageSeconds;
  const retryIn = Math.max(pauseAfter(attempt, random), Math.min(retryAfterSeconds, leftSeconds));
  return retryIn > leftSeconds ? 'failed' : { retryIn };
}
