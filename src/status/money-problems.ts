import { countUnmatchedCredits, type UnmatchedCredits } from '../ledger/bank/unmatched-credits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Problem } from './problem.ts';

/** The bank's money that waits for an operator. One problem for all of a kind: each has an alert or a line of its own in the report of its file. */
export async function moneyProblems(ledger: Ledger): Promise<Problem[]> {
  const unmatched = await countUnmatchedCredits(ledger);
  return unmatched === undefined ? [] : [ofUnmatchedCredits(unmatched)];
}

function ofUnmatchedCredits({ count, since, oldest, reason }: UnmatchedCredits): Problem {
  const waiting = count === 1 ? '1 unmatched credit waits' : `${count} unmatched credits wait`;
  const text = `${waiting}; the oldest is ${oldest} (${reason}): \`mintrail bank unmatched\` names a remedy for each`;
  return { kind: 'credits_unmatched', chain: '', subject: 'credits', since, text };
}
