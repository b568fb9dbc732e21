import type { Ledger } from '../ledger.ts';
import type { ReviewError } from './profile-review.ts';

/** The last decision on a profile, as far as its user is told: why it was rejected, or what must be submitted again. */
export interface LastReview {
  decision: 'approved' | 'rejected' | 'incomplete';
  reason: string | null;
  errors: ReviewError[];
}

/** The last decision on a profile; `undefined` when it was never reviewed. */
export async function findLastReview(ledger: Ledger, profile: string): Promise<LastReview | undefined> {
  const review = await ledger
    .selectFrom('profileReviews')
    .where('profile', '=', profile)
    .orderBy('id', 'desc')
    .select(['decision', 'reason', 'errors'])
    .executeTakeFirst();
  return review && { ...review, errors: review.errors ?? [] };
}
