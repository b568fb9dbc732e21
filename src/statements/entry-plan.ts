import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { LinkedCredit, ReplacedCredit, ReportedCredit } from '../ledger/bank/reported-credits.ts';
import { isOwnPayment } from '../ledger/bank/returns/own-payments.ts';
import { type MinorUnits, minorUnits } from '../platform/money.ts';
import { conflicting, conflictingReference, restOfSum } from './conflicts.ts';
import { type ReportedEntry, sumOf } from './reported-entry.ts';
import { areOtherMoney, creditsMaster, hasOtherPayment, reportOf } from './same-money.ts';

/** What a reported entry changes in the ledger, after what earlier reports changed. */
export interface EntryPlan {
  /** Unmatched credits that `record` replaces; they go first. */
  replace: ReplacedCredit[];
  record: NewCredit[];
  /** Known credits that turn out to be part of this entry. */
  link: LinkedCredit[];
  /** Money the ledger has already. An alert says why an operator should look at it. */
  known: { credit: NewCredit; alert?: string }[];
  /** Why an operator should look at money that is recorded as a repeat. */
  alerts: { credit: NewCredit; alert: string }[];
}

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
  const known = toldOf(details);
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
  const entry = { reference: source.reference ?? '', sum, total, others, isFull: isFull(sum, toldOf(details)) };
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

/** What is known of an entry of which a report lists transactions. */
interface KnownEntry {
  reference: string;
  /** Its transactions that this report does not list. */
  others: ReportedCredit[];
  sum: ReportedCredit | undefined;
  /** What this report lists. */
  total: MinorUnits | undefined;
  /** Whether the known transactions come to the sum. */
  isFull: boolean;
}

/**
 * Transactions of an entry of which others are known. They are the same under other numbers when this report lists the whole entry, and else
 * further ones, as far as there is room for them in the sum of the entry.
 */
function planOtherNumbers(plan: EntryPlan, newCredits: NewCredit[], entry: KnownEntry): void {
  const { others, sum, total } = entry;
  const { repeats, rest, unpaired } = pairUp(newCredits, others);
  const isNumbered = areNumbered([...newCredits, ...others], entry.reference);
  const isWhole = listsWhole(entry);
  if (isWhole && (rest.length === 0 || !isNumbered)) {
    plan.record.push(...repeats);
    plan.known.push(...rest.map((credit) => ({ credit })));
    if (sum?.state === 'unmatched') plan.replace.push({ reference: sum.reference, remaining: null });
  } else if (isWhole && unpaired.length === 0 && sum?.state === 'unmatched') {
    plan.record.push(...repeats);
    planNewCredits(plan, rest, { sum, total });
  } else if (entry.isFull && rest.length === 0) plan.record.push(...repeats);
  else if (isWhole || !isNumbered || entry.isFull) {
    const why = 'other transactions of the same entry are known, which do not add up';
    plan.record.push(...newCredits.map((credit) => conflicting(credit, 'details_differ', why)));
  } else planFurther(plan, newCredits, entry);
}

/** Whether a report lists all transactions of an entry: they come to its sum or, while that is not known, to what another report of it lists. */
function listsWhole({ others, sum, total }: KnownEntry): boolean {
  if (total === undefined) return false;
  if (sum !== undefined) return total === sum.entryAmount;
  return total === toldOf(others) || others.some(({ entryAmount }) => entryAmount === total);
}

/**
 * A report of a part of an entry, of which another part is known. What may be the same under another number is not issued: without a sum it
 * waits for an operator; else the sum's rest waits, as long as messages of several kinds report it.
 */
function planFurther(plan: EntryPlan, newCredits: NewCredit[], { others, sum, total }: KnownEntry): void {
  const alike =
    sum === undefined
      ? others
      : others.filter(({ message }) => message === null || newCredits.every((credit) => credit.message !== message));
  const { repeats, rest } = pairUp(newCredits, alike);
  if (sum === undefined) plan.record.push(...repeats.map(suspected));
  else {
    const alert = `it is a transaction of ${sum.reference} that is known under another number, or one of the rest of that sum: nothing was done`;
    plan.known.push(...repeats.map((credit) => ({ credit, alert })));
  }
  planNewCredits(plan, rest, { sum, total: repeats.length > 0 ? undefined : total });
}

function suspected(credit: NewCredit): NewCredit {
  const reference = credit.repeats?.reference ?? '';
  const why = `it may be ${reference}, a transaction of the same entry with the same amount`;
  return {
    ...credit,
    repeats: { reference, isCertain: false },
    railReason: credit.railReason ?? 'suspected_repeat',
    unmatched: credit.unmatched === undefined ? why : `${credit.unmatched}; ${why}`,
  };
}

/** Pairs transactions under new numbers with known ones of the same amount that may be the same, each with one. */
function pairUp(newCredits: readonly NewCredit[], others: readonly ReportedCredit[]) {
  const unpaired = countingOf(others);
  const repeats: NewCredit[] = [];
  const rest: NewCredit[] = [];
  for (const credit of newCredits) {
    const report = reportOf(credit);
    const index = unpaired.findIndex(
      (known) => known.amount === report.amount && known.currency === report.currency && !areOtherMoney(report, known),
    );
    const [known] = index < 0 ? [] : unpaired.splice(index, 1);
    if (known === undefined) rest.push(credit);
    else repeats.push({ ...credit, repeats: { reference: countsUnder(known), isCertain: true } });
  }
  return { repeats, rest, unpaired };
}

/** The transactions of an entry without those that repeat others of them. */
function countingOf(details: readonly ReportedCredit[]): ReportedCredit[] {
  const references = new Set(details.map(({ reference }) => reference));
  return details.filter(({ state, repeats }) => state !== 'repeated' || !references.has(repeats ?? ''));
}

/** The reference of the credit that counts a report's money. */
function countsUnder({ reference, state, repeats }: ReportedCredit): string {
  return state === 'repeated' ? (repeats ?? reference) : reference;
}

/** What the transactions of an entry come to. */
function toldOf(details: readonly ReportedCredit[]): MinorUnits | undefined {
  return sumOf(countingOf(details).map(({ amount }) => amount));
}

/** Whether nothing is left of a sum that its transactions replaced. */
function isFull(sum: ReportedCredit | undefined, told: MinorUnits | undefined): boolean {
  return sum?.state === 'replaced' && sum.entryAmount !== null && (told === undefined || told >= sum.entryAmount);
}

/** Whether a sum became an order, was returned or ended otherwise: its transactions are in it. */
function isSpent({ state }: ReportedCredit): boolean {
  return state !== 'unmatched' && state !== 'replaced';
}

/** Transactions that are new, of an entry whose sum may be known. */
function planNewCredits(
  plan: EntryPlan,
  newCredits: NewCredit[],
  { sum, total }: { sum: ReportedCredit | undefined; total: MinorUnits | undefined },
) {
  const done = {
    matched: 'became an order',
    returned: 'was returned',
    settled: 'was settled',
    reversed: 'was taken back by the bank',
    unmatched: '',
    replaced: '',
    repeated: 'is other known money',
  };
  if (sum === undefined || sum.state === 'replaced') plan.record.push(...newCredits);
  else if (isSpent(sum)) {
    const alert = `the sum of its entry, ${sum.reference}, ${done[sum.state]} before its transactions were reported: they change nothing`;
    const reference = countsUnder(sum);
    const repeats = newCredits.map((credit) => ({ ...credit, repeats: { reference, isCertain: true } }));
    plan.record.push(...repeats);
    plan.alerts.push(...repeats.map((credit) => ({ credit, alert })));
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

/** Whether all have references of their own, rather than ones made from the entry's. */
function areNumbered(credits: readonly { reference: string }[], entryReference: string): boolean {
  return credits.every(({ reference }) => reference !== entryReference && !reference.startsWith(`${entryReference}#`));
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

/** Whether two values agree, as far as both are known. */
function sameOrUnknown(stored: string | null, reported: string | undefined): boolean {
  return stored === null || reported === undefined || stored === reported;
}

function emptyPlan(): EntryPlan {
  return { replace: [], record: [], link: [], known: [], alerts: [] };
}
