import type { AccountDebit, ListedDebit, ReportedDebit } from '../ledger/bank/debits/bank-debits.ts';
import { conflictReference, dayReference, restReference } from '../ledger/bank/derived-references.ts';
import { idOfEndToEndId } from '../ledger/end-to-end-id.ts';
import { daysBetween, mostDaysBetween } from './money/compare-lines.ts';
import { formatAmount, minorUnits } from '../platform/money.ts';
import type { DebitIndex } from './debit-index.ts';
import { sumOf } from './reported-entry.ts';

/** A debit that is new, and why it is in doubt, if it is. */
export interface PlannedDebit {
  debit: AccountDebit;
  problem?: string;
}

/** What the debits of an entry change in the ledger, after what earlier reports changed. */
export interface DebitPlan {
  /** References of unexplained sums that `record` replaces; they go first. */
  replace: string[];
  record: PlannedDebit[];
  /** Known debits that a statement lists now. */
  list: ListedDebit[];
  /** Debits that contradict what the ledger has: for the operator. */
  alerts: { debit: AccountDebit; text: string }[];
}

/** What a report is compared with: the known debits, and whether it is a statement. */
interface Known {
  index: DebitIndex;
  isListed: boolean;
}

/** Debits without a bank reference have a hash in its place. */
const unnumbered = /#[0-9a-f]{40}(#|$)/;

/**
 * Decides what the debits of an entry change, so that no money counts twice, whichever reports contain it: as a sum or by its transactions, in a
 * notification or in a statement, with the bank's reference or without. Money that contradicts an earlier report is recorded beside it,
 * for an operator to explain. What is planned is added to the index.
 */
export function planDebits(debits: readonly AccountDebit[], known: Known): DebitPlan {
  const plan: DebitPlan = { replace: [], record: [], list: [], alerts: [] };
  const [first] = debits;
  if (first === undefined) return plan;
  const sum = first.isSum ? undefined : known.index.candidates(first).find((before) => isSumOf(before, debits, known));
  if (sum !== undefined && !replacesSum(plan, sum, debits)) {
    list(plan, known, sum, first);
    return plan;
  }
  const taken = new Set([sum]);
  for (const reported of debits) {
    const debit = reported.reference === sum?.reference ? { ...reported, reference: `${reported.reference}#tx1` } : reported;
    const before = known.index.candidates(debit).find((candidate) => !taken.has(candidate) && isSameMoney(candidate, debit, known));
    if (before !== undefined) {
      taken.add(before);
      planKnown(plan, known, before, debit);
    } else if (isWhole(debit) && debits.length === 1) planSum(plan, known, debit);
    else record(plan, known, { debit });
  }
  return plan;
}

/**
 * Whether a debit is its entry as a whole: a sum, or the only transaction that its entry lists, without a number of its own. A bank may list one
 * transaction of several.
 */
function isWhole({
  isSum,
  reference,
  entryReference,
}: Pick<AccountDebit, 'isSum' | 'reference'> & { entryReference?: string | null }): boolean {
  return isSum || reference === entryReference;
}

/** Whether a known debit is the entry, as a whole, of which these are the transactions. */
function isSumOf(before: ReportedDebit, debits: readonly AccountDebit[], known: Known): boolean {
  const [first] = debits as [AccountDebit];
  if (!isOfEntry(before, first, known)) return false;
  if (before.isSum || !isWhole(before)) return before.isSum;
  const isItself = debits.length === 1 && first.reference === before.reference;
  return !isItself && before.currency === first.currency && before.amount === sumOf(debits.map(({ amount }) => amount));
}

/** Whether the transactions of a known sum are recorded in its place: it is not explained yet, and they add up to it. */
function replacesSum(plan: DebitPlan, sum: ReportedDebit, debits: readonly AccountDebit[]): boolean {
  const total = sumOf(debits.map(({ amount }) => amount)) ?? minorUnits(0n);
  const [first] = debits as [AccountDebit];
  if (total !== sum.amount) {
    const text = `its transactions come to ${formatAmount(total)}, and it was reported before as ${formatAmount(sum.amount)} (${sum.reference}): they change nothing`;
    plan.alerts.push({ debit: first, text });
    return false;
  }
  const isOnly = debits.length === 1 && idOfEndToEndId(first.endToEndId) === undefined;
  // The transactions would take the credits back of which an operator has said that the bank did not.
  if (sum.state !== 'unexplained' || sum.isUndone || isOnly) return false;
  plan.replace.push(sum.reference);
  return true;
}

/** A sum of which transactions may be known: what they do not come to is recorded. */
function planSum(plan: DebitPlan, known: Known, sum: AccountDebit): void {
  const details = known.index.candidates(sum).filter((before) => !before.isSum && isOfEntry(before, sum, known));
  const total = sumOf(details.map(({ amount }) => amount)) ?? minorUnits(0n);
  // A payment of ours is booked as what it is, unless its entry is known in full.
  const isPayment = !sum.isSum && idOfEndToEndId(sum.endToEndId) !== undefined && total !== sum.amount;
  if (details.length === 0 || isPayment) return record(plan, known, { debit: sum });
  for (const detail of details) list(plan, known, detail, sum);
  const why = `its entry comes to ${formatAmount(sum.amount)}, and transactions of it are known that come to ${formatAmount(total)}`;
  if (total > sum.amount) plan.alerts.push({ debit: sum, text: why });
  else if (total < sum.amount) {
    const rest = { ...sum, reference: restReference(sum.reference), amount: minorUnits(sum.amount - total), isSum: false };
    record(plan, known, { debit: rest, problem: `${why}; this is the rest` });
  }
}

function planKnown(plan: DebitPlan, known: Known, before: ReportedDebit, debit: AccountDebit): void {
  if (before.amount === debit.amount && before.currency === debit.currency) return list(plan, known, before, debit);
  const conflicting = { ...debit, reference: conflictReference(debit.reference, [debit.amount.toString(), debit.currency]) };
  if (known.index.candidates(conflicting).some(({ reference }) => reference === conflicting.reference)) return;
  const text = `${formatAmount(before.amount)} ${before.currency.toUpperCase()}`;
  record(plan, known, { debit: conflicting, problem: `the bank's reference ${debit.reference} was used before, for ${text}` });
}

function record(plan: DebitPlan, { index, isListed }: Known, { debit: reported, problem }: PlannedDebit): void {
  const isUsed = index.candidates(reported).some(({ reference }) => reference === reported.reference && !plan.replace.includes(reference));
  const debit = isUsed ? { ...reported, reference: dayReference(reported) } : reported;
  const payment = (debit.takesBack === undefined ? idOfEndToEndId(debit.endToEndId) : undefined) ?? null;
  const isTwice = payment !== null && index.candidates(debit).some((before) => before.payment === payment);
  const doubt = problem ?? (isTwice ? 'the bank has booked this payment before' : undefined);
  plan.record.push({ debit, ...(doubt !== undefined && { problem: doubt }) });
  const { payee, ...facts } = debit;
  index.add({
    ...facts,
    entryReference: facts.entryReference ?? null,
    listedAs: isListed ? facts.reference : null,
    listedOn: isListed ? facts.bookedOn : null,
    payeeIban: payee.iban ?? null,
    payeeName: payee.name ?? null,
    endToEndId: facts.endToEndId ?? null,
    uetr: facts.uetr ?? null,
    takesBack: facts.takesBack ?? null,
    isUndone: false,
    state: 'unexplained',
    payment,
  });
}

function list(plan: DebitPlan, { isListed }: Known, before: ReportedDebit, debit: AccountDebit): void {
  if (isListed) plan.list.push({ reference: before.reference, listedAs: debit.reference, listedOn: debit.bookedOn });
}

function isOfEntry(known: ReportedDebit, debit: AccountDebit, { isListed }: Known): boolean {
  const isSameEntry = known.entryReference !== null && known.entryReference === debit.entryReference;
  return (isSameEntry || (known.isSum && known.reference === debit.reference)) && !areOfOtherDays(known, debit, isListed);
}

/** Whether a number of the bank is another one, because the bank counts anew each day: statements list both on other days, or they lie too far apart. */
function areOfOtherDays({ bookedOn, listedOn }: ReportedDebit, debit: AccountDebit, isListed: boolean): boolean {
  return isListed && listedOn !== null ? listedOn !== debit.bookedOn : daysBetween({ bookedOn }, debit) > mostDaysBetween;
}

/** Whether a known debit is the same money. A statement lists money once, so what it lists under another reference is other money. */
function isSameMoney(known: ReportedDebit, debit: AccountDebit, { isListed, index }: Known): boolean {
  const numbers = new Set([known.reference, known.listedAs]);
  if (numbers.has(dayReference(debit))) return true;
  if (numbers.has(debit.reference) || (!debit.isSum && known.reference === `${debit.reference}#tx1`))
    return !areOfOtherDays(known, debit, isListed);
  if (known.isSum && debit.isSum && isOfEntry(known, debit, { isListed, index })) return true;
  if ((known.takesBack === null) !== (debit.takesBack === undefined)) return false;
  if (known.isSum !== debit.isSum || (isListed && known.listedAs !== null)) return false;
  if (known.amount !== debit.amount || known.currency !== debit.currency || known.account !== debit.account) return false;
  if (known.uetr !== null && debit.uetr !== undefined) return known.uetr === debit.uetr;
  const payment = idOfEndToEndId(debit.endToEndId);
  if (payment !== undefined && known.payment === payment) return true;
  // Two reports with a reference each are two debits; one report without a reference may be the same money by its facts.
  const isOneUnnumbered = unnumbered.test(known.reference) !== unnumbered.test(debit.reference);
  return isOneUnnumbered && known.bookedOn === debit.bookedOn && hasSameFacts(known, debit);
}

function hasSameFacts(known: ReportedDebit, { endToEndId, payee }: AccountDebit): boolean {
  return agrees(known.endToEndId, endToEndId) && agrees(known.payeeIban, payee.iban) && agrees(known.payeeName, payee.name);
}

function agrees(before: string | null, now: string | undefined): boolean {
  return before === null || now === undefined || before === now;
}
