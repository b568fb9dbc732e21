import { type OverdueCredits, overdueCredits } from '../ledger/bank/awaited-credits.ts';
import { openClaims, type OpenClaims } from '../ledger/bank/claims/claims.ts';
import { type UnexplainedDebits, unexplainedDebits } from '../ledger/bank/debits/unexplained-debits.ts';
import { unclearRejections } from '../ledger/bank/payment-statuses.ts';
import { countUnmatchedCredits, type UnmatchedCredits } from '../ledger/bank/unmatched/unmatched-credits.ts';
import { countOpenRecalls, type OpenRecalls } from '../ledger/bank/recalls/recalls.ts';
import { openGaps, type StatementGap } from '../ledger/bank/statements/statement-queries.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countText, mostCounted, type Waiting } from '../ledger/most-counted.ts';
import { formatAmount } from '../platform/money.ts';
import type { Problem } from './problem.ts';

/** Missing statements that are named one by one. */
const mostGaps = 20;

/** The bank's money that waits for an operator. One problem for all of a kind: each has an alert or a line of its own in the report of its file. */
export async function bankProblems(ledger: Ledger): Promise<Problem[]> {
  const [debits, unmatched, claims, gaps, rejections, awaited, recalls] = await Promise.all([
    unexplainedDebits(ledger),
    countUnmatchedCredits(ledger),
    openClaims(ledger),
    openGaps(ledger, mostGaps),
    unclearRejections(ledger),
    overdueCredits(ledger),
    countOpenRecalls(ledger),
  ]);
  const credits = unmatched === undefined ? [] : [ofUnmatchedCredits(unmatched)];
  const rejected = rejections === undefined ? [] : [ofRejections(rejections)];
  const recalled = recalls === undefined ? [] : [ofRecalls(recalls)];
  return [
    ...debits.map(ofDebits),
    ...claims.map(ofClaims),
    ...credits,
    ...awaited.map(ofAwaitedCredits),
    ...gaps.map(ofGap),
    ...rejected,
    ...recalled,
  ];
}

function ofClaims({ currency, count, amount, oldest, since }: OpenClaims): Problem {
  const credits = count === 1 ? 'one credit' : `${count} credits`;
  const text = `the bank took ${credits} back after the money had gone on, and ${formatAmount(amount)} ${currency.toUpperCase()} are not recovered; the oldest is ${oldest}: see \`mintrail bank claims\``;
  return { kind: 'claims_open', chain: '', subject: currency, since, text };
}

function ofRecalls({ count, since, oldest, answerBy }: OpenRecalls): Problem {
  const waiting = count === 1 ? '1 recall waits' : `${countText(count, mostCounted.overdue)} recalls wait`;
  const text = `${waiting} for an answer, the oldest, ${oldest}, until ${answerBy}: see \`mintrail bank recalls\`, then run \`mintrail bank recalls accept ${oldest}\` or \`mintrail bank recalls refuse ${oldest} --code CODE\``;
  return { kind: 'recalls_open', chain: '', subject: 'recalls', since, text };
}

function ofUnmatchedCredits({ count, since, oldest, reason }: UnmatchedCredits): Problem {
  const waiting = count === 1 ? '1 unmatched credit waits' : `${countText(count, mostCounted.overdue)} unmatched credits wait`;
  const text = `${waiting}; the oldest is ${oldest} (${reason}): \`mintrail bank unmatched\` names a remedy for each`;
  return { kind: 'credits_unmatched', chain: '', subject: 'credits', since, text };
}

function ofAwaitedCredits({ account, count, since, oldest }: OverdueCredits): Problem {
  const credits = count === 1 ? 'a credit' : `${countText(count, mostCounted.overdue)} credits`;
  const text = `the bank has notified ${credits} on ${account} that its statements of the five days after do not list; the oldest is ${oldest}: ask the bank. Import the statement that lists it, run \`mintrail bank repeat ${oldest}\` where it is the money of another credit, or \`mintrail bank not-booked ${oldest} --reason TEXT\` where the bank has not booked it`;
  return { kind: 'credits_awaited', chain: '', subject: account, since, text };
}

function ofDebits({ account, currency, count, amount, oldest, since }: UnexplainedDebits): Problem {
  const debits = count === 1 ? 'one debit' : `${count} debits`;
  const text = `${formatAmount(amount)} ${currency.toUpperCase()} have left the account ${account} in ${debits} that nobody has explained; the oldest is ${oldest}: see \`mintrail bank debits\`, then run \`mintrail bank explain ${oldest} --as WHAT --reason TEXT\``;
  return { kind: 'debit_unexplained', chain: '', subject: `${account} ${currency}`, since, text };
}

function ofGap({ id, account, currency, number, closedOn, gap, since }: StatementGap): Problem {
  const text = `a statement seems to be missing before ${number || 'that'} of ${account}, ${currency}, ${closedOn}: ${gap}. Fetch it from the bank and import it, or run \`mintrail bank accept-gap ${id} --reason TEXT\``;
  return { kind: 'statement_missing', chain: '', subject: id, since, text };
}

function ofRejections({ count, since, oldest }: Waiting): Problem {
  const payments = count === 1 ? 'a payment' : `${countText(count, mostCounted.overdue)} payments`;
  const text = `the bank rejects ${payments} for a reason that does not say for certain that it will not be paid; the oldest is ${oldest}: ask the bank, then run \`mintrail payments reject ${oldest} REASON\`, or import the bank's report of what became of it`;
  return { kind: 'rejection_unclear', chain: '', subject: 'payments', since, text };
}
