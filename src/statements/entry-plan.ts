import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { LinkedCredit, ReplacedCredit, ReportedCredit } from '../ledger/bank/reported-credits.ts';
import { isOwnPayment } from '../ledger/bank/returns/own-payments.ts';
import { type MinorUnits, minorUnits } from '../platform/money.ts';
import { conflicting, conflictingReference, restOfSum } from './conflicts.ts';
import { type ReportedEntry, sumOf } from './reported-entry.ts';

/** What a reported entry changes in the ledger, after what earlier reports changed. */
export interface EntryPlan {
  /** Unmatched credits that `record` replaces; they go first. */
  replace: ReplacedCredit[];
  record: NewCredit[];
  /** Known credits that turn out to be part of this entry. */
  link: LinkedCredit[];
  /** Money the ledger has already. An alert says why an operator should look at it. */
  known: { credit: NewCredit; alert?: string }[];
}

/** Reasons of the reader that another report of the same money may remove. */
const doubts = new Set([
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
  const known = sumOf(details.map(({ amount }) => amount));
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
    if (before === undefined || before === sum) return true;
    planKnownReference(plan, credit, before);
    return false;
  });
  if (newCredits.length === 0 && sum?.state !== 'unmatched') return plan;
  const reported = new Set(money.map(({ reference }) => reference));
  const others = stored.filter((known) => !known.isSum && known.entryReference === source.reference && isOther(known, reported));
  const isNumbered = source.reference === undefined || areNumbered([...newCredits, ...others], source.reference);
  if (newCredits.length > 0 && others.length > 0 && !isNumbered) {
    planOtherNumbers(plan, newCredits, { others, total });
  } else planNewCredits(plan, newCredits, { sum, total });
  return plan;
}

/** Plans a credit whose reference is known. */
function planKnownReference(plan: EntryPlan, credit: NewCredit, before: ReportedCredit): void {
  // The reader gives a sum, and a payment of ours that came back, the account of the statement.
  const hasSameIban = before.isSum || isOwnPayment(credit.railReason) || sameOrUnknown(before.iban, credit.iban);
  const amount = before.isSum ? before.entryAmount : before.amount;
  if (amount !== (credit.amount ?? null) || !sameOrUnknown(before.currency, credit.currency) || !hasSameIban) {
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

/** Transactions of an entry of which others are known, where not all have references of their own by which to recognise them. */
function planOtherNumbers(
  plan: EntryPlan,
  newCredits: NewCredit[],
  { others, total }: { others: ReportedCredit[]; total: MinorUnits | undefined },
) {
  const isSame = total === sumOf(others.map(({ amount }) => amount)) || others.some(({ entryAmount }) => entryAmount === total);
  for (const credit of newCredits) {
    if (isSame) plan.known.push({ credit });
    else plan.record.push(conflicting(credit, 'details_differ', 'other transactions of the same entry are known, which do not add up'));
  }
}

/** Transactions that are new, of an entry whose sum may be known. */
function planNewCredits(
  plan: EntryPlan,
  newCredits: NewCredit[],
  { sum, total }: { sum: ReportedCredit | undefined; total: MinorUnits | undefined },
) {
  const done = { matched: 'became an order', returned: 'was returned', settled: 'was settled', unmatched: '', replaced: '' };
  if (sum === undefined || sum.state === 'replaced') plan.record.push(...newCredits);
  else if (sum.state !== 'unmatched') {
    const alert = `the sum of its entry, ${sum.reference}, ${done[sum.state]} before its transactions were reported: they change nothing`;
    plan.known.push(...newCredits.map((credit) => ({ credit, alert })));
  } else {
    const remaining = remainingOf(sum, newCredits, total);
    if (remaining === undefined) {
      const why = `the transactions come to more than what is left of their entry, which is listed as ${sum.reference}`;
      plan.record.push(...newCredits.map((credit) => conflicting(credit, 'details_differ', why)));
    } else {
      if (remaining !== sum.amount) plan.replace.push({ reference: sum.reference, remaining });
      plan.record.push(...newCredits);
    }
  }
}

/** What is left of an unmatched sum beside its new transactions; null for nothing, undefined when they exceed it. */
function remainingOf(sum: ReportedCredit, newCredits: NewCredit[], total: MinorUnits | undefined): MinorUnits | null | undefined {
  if (!newCredits.every(({ currency }) => sameOrUnknown(sum.currency, currency))) return undefined;
  if ((total ?? null) === sum.entryAmount) return null;
  const taken = sumOf(newCredits.map(({ amount }) => amount));
  if (sum.amount === null || taken === undefined || taken > sum.amount) return undefined;
  return taken === sum.amount ? null : minorUnits(sum.amount - taken);
}

/** The recorded sum of an entry, found by either of its references; a replaced one only when there is no other. */
function sumIn(stored: readonly ReportedCredit[], entryReference: string | undefined, reference = entryReference) {
  const sums = stored.filter((known) => known.isSum && (known.entryReference === (entryReference ?? '') || known.reference === reference));
  return sums.find(({ state }) => state !== 'replaced') ?? sums[0];
}

function isPartOf(credit: ReportedCredit, sum: NewCredit): boolean {
  return credit.reference === sum.reference || (sum.entryReference !== undefined && credit.entryReference === sum.entryReference);
}

function isOther(credit: ReportedCredit, reported: ReadonlySet<string>): boolean {
  return credit.state !== 'replaced' && !reported.has(credit.reference);
}

/** Whether all have references of their own, rather than ones made from the entry's. */
function areNumbered(credits: readonly { reference: string }[], entryReference: string): boolean {
  return credits.every(({ reference }) => reference !== entryReference && !reference.startsWith(`${entryReference}#`));
}

function isCleared(before: ReportedCredit, credit: NewCredit): boolean {
  return before.state === 'unmatched' && doubts.has(before.railReason ?? '') && credit.railReason === undefined;
}

/** Whether money that waits as an ordinary credit turns out to be a payment of ours that came back. */
function isNowReturned(before: ReportedCredit, credit: NewCredit): boolean {
  return isOwnPayment(credit.railReason) && !isOwnPayment(before.railReason);
}

/** Whether two values agree, as far as both are known. */
function sameOrUnknown(stored: string | null, reported: string | undefined): boolean {
  return stored === null || reported === undefined || stored === reported;
}

function emptyPlan(): EntryPlan {
  return { replace: [], record: [], link: [], known: [] };
}
