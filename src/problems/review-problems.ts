import { countProfilesInReview } from '../ledger/customers/profile-queries.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countText, mostCounted } from '../ledger/most-counted.ts';
import type { Problem } from './problem.ts';

/** Profiles that wait for a decision of ours. */
export async function reviewProblems(ledger: Ledger): Promise<Problem[]> {
  const waiting = await countProfilesInReview(ledger);
  if (waiting === undefined) return [];
  const { count, since, oldest } = waiting;
  const profiles = count === 1 ? '1 profile waits' : `${countText(count, mostCounted.overdue)} profiles wait`;
  const text = `${profiles} for a review, the oldest ${oldest}: look at it with \`mintrail profile show ${oldest}\`, then run \`mintrail profile review ${oldest} --approve\`, \`--reject REASON\` or \`--incomplete FIELD=REASON\``;
  return [{ kind: 'profiles_in_review', chain: '', subject: 'profiles', since, text }];
}
