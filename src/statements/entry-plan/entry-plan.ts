import type { NewCredit } from '../../ledger/bank/match-credits.ts';
import type { ReportedCredit } from '../../ledger/bank/reported-credits.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import { conflictingReference, restOfSum } from '../conflicts.ts';
import type { ReportedEntry } from '../reported-entry.ts';
import { creditsMaster, hasOtherPayment, reportOf } from '../same-money.ts';
import { emptyPlan, type EntryPlan } from './changes.ts';
import { sumCounting, isFull, isSpent, sumIn, sameOrUnknown } from './known-credits.ts';
import { planNewCredits } from './new-credits.ts';
import { planOtherNumbers } from './other-numbers.ts';

/** Reasons of the reader that another report of the same money may remove. */
export const doubts: ReadonlySet<string> = new Set([
  'status_unknown',
  'direction_unknown',
  'sum_differs',
  'transaction_amount_missing',
  'batch_without_details',
  'details_in_other_message',
  'iban_missing',
  'iban_invalid',
  'account_not_iban',
]);

/**
 * Decides what an entry changes, so that no money counts twice, whichever reports contain it, in whichever order: as a sum, with all of
 * its transactions, or with some of them. Where reports contradict each other nothing more is issued: the difference becomes an
 * unmatched credit for the operator.
 */
export function planEntry(entry: ReportedEntry, stored: readonly ReportedCredit[]): EntryPlan {
  const [credit] = entry.money;
  if (credit === undefined) return emptyPlan();
  return entry.isSum ? planSum(credit, stored) : planTransactions(entry, stored);
}

function planSum(credit: NewCredit, stored: readonly ReportedCredit[]): EntryPlan {
  const plan = emptyPlan();
  const before = sumIn(stored, credit.entryReference, credit.reference);
  if (before !== undefined) {
    const isSame = before.entryAmount === (credit.amount ?? null) && sameOrUnknown(before.currency, credit.currency);
    if (!isSame) plan.record.push(conflictingReference(credit, before));
    else if (isCleared(before, credit)) {
      plan.replace.push({ reference: before.reference, remaining: null });
      plan.record.push(credit);
    } else plan.known.push({ credit });
    return plan;
  }
  const details = stored.filter((known) => !known.isSum && known.state !== 'replaced' && isPartOf(known, credit));
  const known = sumCounting(details);
  const sameCurrency = details.every(({ currency }) => sameOrUnknown(currency, credit.currency));
  const agrees = known === credit.amount || details.some(({ entryAmount }) => entryAmount !== null && entryAmount === credit.amount);
  if (details.length === 0) plan.record.push(credit);
  else if (sameCurrency && agrees) plan.known.push({ credit });
  else plan.record.push(restOfSum(credit, sameCurrency ? known : undefined));
  return plan;
}

function planTransactions({ money, source, total }: ReportedEntry, stored: readonly ReportedCredit[]): EntryPlan {
  const plan = emptyPlan();
  const byReference = new Map(stored.map((known) => [known.reference, known]));
  const sum = source.reference === undefined ? undefined : sumIn(stored, source.reference);
  const newCredits = money.filter((credit) => {
    const before = byReference.get(credit.reference);
    if (before === undefined || (before === sum && total === (sum.entryAmount ?? undefined))) return true;
    planKnownReference(plan, credit, before);
    return false;
  });
  if (newCredits.length === 0 && sum?.state !== 'unmatched') return plan;
  const reported = new Set(money.map(({ reference }) => reference));
  const details = stored.filter((known) => !known.isSum && known.state !== 'replaced' && known.entryReference === source.reference);
  const others = details.filter(({ reference }) => !reported.has(reference));
  const entry = { reference: source.reference ?? '', sum, total, others, isFull: isFull(sum, sumCounting(details)) };
  const isFurther = newCredits.length > 0 && source.reference !== undefined && (others.length > 0 || entry.isFull);
  if (isFurther && (sum === undefined || !isSpent(sum))) planOtherNumbers(plan, newCredits, entry);
  else planNewCredits(plan, newCredits, { sum, total });
  return plan;
}

/** Plans a credit whose reference is known. */
function planKnownReference(plan: EntryPlan, credit: NewCredit, before: ReportedCredit): void {
  // The reader gives a sum, and a payment of ours that came back, the account of the statement.
  const hasSameIban =
    before.isSum || isOwnPayment(credit.railReason) || sameOrUnknown(before.iban, credit.iban) || isCreditorOnce(before, credit);
  const amount = before.isSum ? before.entryAmount : before.amount;
  const isReused = !before.isSum && hasOtherPayment(reportOf(credit), before);
  if (amount !== (credit.amount ?? null) || !sameOrUnknown(before.currency, credit.currency) || !hasSameIban || isReused) {
    plan.record.push(conflictingReference(credit, before));
  } else if (before.state === 'unmatched' && (before.isSum || isCleared(before, credit) || isNowReturned(before, credit))) {
    plan.replace.push({ reference: before.reference, remaining: null });
    plan.record.push(credit);
  } else if (isNowReturned(before, credit)) {
    plan.known.push({ credit, alert: `recorded before as an ordinary credit (${before.state}), and now ${credit.unmatched}` });
  } else plan.known.push({ credit });
  const isAlone = before.entryReference === null || before.entryReference === before.reference;
  if (isAlone && !before.isSum && credit.entryReference !== undefined && credit.entryReference !== before.entryReference) {
    plan.link.push({ reference: before.reference, entryReference: credit.entryReference, entryAmount: credit.entryAmount });
  }
}

function isPartOf(credit: ReportedCredit, sum: NewCredit): boolean {
  return credit.reference === sum.reference || (sum.entryReference !== undefined && credit.entryReference === sum.entryReference);
}

function isCleared(before: ReportedCredit, credit: NewCredit): boolean {
  if (before.state !== 'unmatched' || credit.railReason !== undefined) return false;
  const isUndoubted = before.railReason === null || before.railReason === 'suspected_repeat';
  return isUndoubted ? creditsMaster(before) && !creditsMaster(reportOf(credit)) : doubts.has(before.railReason ?? '');
}

/** Whether only one of two reports names a creditor: the other credits the master account, and waits if it came first. */
function isCreditorOnce(before: ReportedCredit, credit: NewCredit): boolean {
  return creditsMaster(reportOf(credit)) || (creditsMaster(before) && before.state === 'unmatched');
}

/** Whether money that waits as an ordinary credit turns out to be a payment of ours that came back. */
function isNowReturned(before: ReportedCredit, credit: NewCredit): boolean {
  return isOwnPayment(credit.railReason) && !isOwnPayment(before.railReason);
}
