import { answerBy } from '../ledger/bank/recalls/recalls.ts';
import { openGaps, type StatementGap } from '../ledger/bank/statements/statement-queries.ts';
import { type WaitingKind, type WaitingMoney, waitingMoney } from '../ledger/bank/waiting-money.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countText, mostCounted } from '../ledger/most-counted.ts';
import { formatAmount } from '../platform/money.ts';
import type { Problem } from './problem.ts';

/** Missing statements that are named one by one. */
const mostGaps = 20;

/** The bank's money that waits for an operator. One problem for all of a kind: each has an alert or a line of its own in the report of its file. */
export async function bankProblems(ledger: Ledger): Promise<Problem[]> {
  const [waiting, gaps] = await Promise.all([waitingMoney(ledger), openGaps(ledger, mostGaps)]);
  return [...waiting.map((money) => problemOf[money.kind](money)), ...gaps.map(ofGap)];
}

const problemOf: Readonly<Record<WaitingKind, (money: WaitingMoney) => Problem>> = {
  debit: ofDebits,
  claim: ofClaims,
  credit: ofUnmatchedCredits,
  awaited: ofAwaited,
  rejection: ofRejections,
  contradiction: ofContradictions,
  recall: ofRecalls,
  untaken: ofUntakenRecalls,
};

function ofClaims({ currency, count, amount, oldest, since }: WaitingMoney): Problem {
  const credits = count === 1 ? 'one credit' : `${count} credits`;
  const text = `the bank took ${credits} back after the money had gone on, and ${formatAmount(amount)} ${currency.toUpperCase()} are not recovered; the oldest is ${oldest}: see \`mintrail bank claims\``;
  return { kind: 'claims_open', chain: '', subject: currency, since, text };
}

function ofRecalls({ count, since, oldest }: WaitingMoney): Problem {
  const waiting = count === 1 ? '1 recall waits' : `${countText(count, mostCounted.overdue)} recalls wait`;
  const text = `${waiting} for an answer, the oldest, ${oldest}, until ${answerBy(since)}: see \`mintrail bank recalls\`, then run \`mintrail bank recalls accept ${oldest}\` or \`mintrail bank recalls refuse ${oldest} --code CODE\``;
  return { kind: 'recalls_open', chain: '', subject: 'recalls', since, text };
}

function ofUntakenRecalls({ count, since, oldest }: WaitingMoney): Problem {
  const waiting = count === 1 ? '1 recall' : `${countText(count, mostCounted.overdue)} recalls`;
  const text = `the bank has not taken the money of ${waiting} that you accepted, the oldest ${oldest}: ask it. Import the statement with its debit, or run \`mintrail bank recalls undo ${oldest} --reason TEXT\` where it does not take it: the credit waits again`;
  return { kind: 'recalls_open', chain: '', subject: 'accepted recalls', since, text };
}

function ofUnmatchedCredits({ count, since, oldest, reason }: WaitingMoney): Problem {
  const waiting = count === 1 ? '1 unmatched credit waits' : `${countText(count, mostCounted.overdue)} unmatched credits wait`;
  const text = `${waiting}; the oldest is ${oldest} (${reason}): \`mintrail bank unmatched\` names a remedy for each`;
  return { kind: 'credits_unmatched', chain: '', subject: 'credits', since, text };
}

function ofAwaited({ account, count, since, oldest }: WaitingMoney): Problem {
  const money = count === 1 ? 'money' : `${countText(count, mostCounted.overdue)} credits and debits`;
  const text = `the bank has notified ${money} on ${account} that its statements of the five days after do not list; the oldest is ${oldest}: ask the bank. Import the statement that lists it, run \`mintrail bank repeat ${oldest}\` where it is an unmatched credit and the money of another, or \`mintrail bank not-booked ${oldest} --reason TEXT\` where the bank has not booked it`;
  return { kind: 'credits_awaited', chain: '', subject: account, since, text };
}

function ofDebits({ account, currency, count, amount, oldest, since }: WaitingMoney): Problem {
  const debits = count === 1 ? 'one debit' : `${count} debits`;
  const text = `${formatAmount(amount)} ${currency.toUpperCase()} have left the account ${account} in ${debits} that nobody has explained; the oldest is ${oldest}: see \`mintrail bank debits\`, then run \`mintrail bank explain ${oldest} --as WHAT --reason TEXT\``;
  return { kind: 'debit_unexplained', chain: '', subject: `${account} ${currency}`, since, text };
}

function ofGap({ id, account, currency, number, closedOn, gap, since }: StatementGap): Problem {
  const text = `something seems to be missing of the statement ${number} of ${account}, ${currency}, ${closedOn}, or before it: ${gap}. Fetch it from the bank and import it, or run \`mintrail bank accept-gap ${id} --reason TEXT\``;
  return { kind: 'statement_missing', chain: '', subject: id, since, text };
}

function ofRejections({ count, since, oldest }: WaitingMoney): Problem {
  const payments = count === 1 ? 'a payment' : `${countText(count, mostCounted.overdue)} payments`;
  const text = `the bank rejects ${payments} for a reason that does not say for certain that it will not be paid; the oldest is ${oldest}: ask the bank, then run \`mintrail payments reject ${oldest} REASON\`, or import the bank's report of what became of it`;
  return { kind: 'rejection_unclear', chain: '', subject: 'payments', since, text };
}

function ofContradictions({ count, since, oldest }: WaitingMoney): Problem {
  const payments = count === 1 ? 'a payment' : `${countText(count, mostCounted.overdue)} payments`;
  const text = `the bank rejects ${payments} that it had reported as carried out, and no statement lists; the oldest is ${oldest}: ask the bank. Import the statements of the five days after, and run \`mintrail payments reject ${oldest} REASON\` where they do not list it either`;
  return { kind: 'rejection_unclear', chain: '', subject: 'accepted payments', since, text };
}
