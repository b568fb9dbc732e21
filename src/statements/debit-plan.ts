import type { AccountDebit, ListedDebit, ReportedDebit } from '../ledger/bank/debits/bank-debits.ts';
import { conflictReference, dayReferences, restReference } from '../ledger/bank/derived-references.ts';
import { idOfEndToEndId } from '../ledger/end-to-end-id.ts';
import { daysBetween, mostDaysBetween } from './money/compare-lines.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../platform/money.ts';
import type { DebitIndex } from './debit-index.ts';
import { sumOf } from './reported-entry.ts';

/** A debit that is new, and why it is in doubt, if it is. */
export interface PlannedDebit {
  debit: AccountDebit;
  problem?: string;
  /** The statement that lists the sum whose place it takes, by its document. */
  listedIn?: string;
}

/** What the debits of an entry change in the ledger, after what earlier reports changed. */
export interface DebitPlan {
  /** References of unexplained sums that `record` replaces; they go first. */
  replace: string[];
  record: PlannedDebit[];
  /** Known debits that the document reports too. */
  list: ListedDebit[];
  /** Debits that contradict what the ledger has: for the operator. */
  alerts: { debit: AccountDebit; text: string }[];
}

/** What a report is compared with: the known debits, its document, and whether that is a statement. */
export interface KnownReports {
  index: DebitIndex;
  document: string;
  isListed: boolean;
  /** Whether another document lists other bookings than this one: another page, or a statement that follows. */
  isApart: (document: string) => boolean;
}

/** Debits without a bank reference have a hash in its place. */
const unnumbered = /#[0-9a-f]{40}(#|$)/;

/**
 * Decides what the debits of an entry change, so that no money counts twice, whichever reports contain it: as a sum or by its transactions, in a
 * notification or in a statement, with the bank's reference or without. Money that contradicts an earlier report is recorded beside it,
 * for an operator to explain. What is planned is added to the index.
 */
export function planDebits(debits: readonly AccountDebit[], known: KnownReports): DebitPlan {
  const plan: DebitPlan = { replace: [], record: [], list: [], alerts: [] };
  const [first] = debits;
  if (first === undefined) return plan;
  const total = totalOf(debits);
  const sums = first.isSum ? [] : known.index.candidates(first, total);
  const sum = sums.find((before) => isSumOf(before, debits, known)) ?? sums.find((before) => isSumBesides(before, debits, known));
  if (sum !== undefined && !replacesSum(plan, sum, debits)) {
    list(plan, known, sum, first);
    return plan;
  }
  const listedIn = known.isListed ? undefined : (sum?.listedIn ?? undefined);
  const taken = new Set([sum]);
  for (const reported of debits) {
    const debit = reported.reference === sum?.reference ? { ...reported, reference: `${reported.reference}#tx1` } : reported;
    const before = nearest(
      debit,
      known.index.candidates(debit).filter((candidate) => !taken.has(candidate) && isSameMoney(candidate, debit, known)),
    );
    if (before !== undefined) {
      taken.add(before);
      planKnown(plan, known, before, debit);
    } else if (isWhole(debit) && debits.length === 1) planSum(plan, known, debit);
    else record(plan, known, { debit, ...(listedIn !== undefined && { listedIn }) });
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
function isSumOf(before: ReportedDebit, debits: readonly AccountDebit[], known: KnownReports): boolean {
  const [first] = debits as [AccountDebit];
  if (!isOfEntry(before, first, known)) return false;
  if (before.isSum || !isWhole(before)) return before.isSum;
  const isItself = debits.length === 1 && first.reference === before.reference;
  return !isItself && before.currency === first.currency && before.amount === sumOf(debits.map(({ amount }) => amount));
}

/** Of those that may be the same money: that with the bank's reference, else that of the nearest day. */
function nearest(debit: AccountDebit, candidates: readonly ReportedDebit[]): ReportedDebit | undefined {
  const distance = (known: ReportedDebit) => (numbersOf(known).has(debit.reference) ? -1 : daysBetween(known, debit));
  return candidates.toSorted((one, other) => distance(one) - distance(other))[0];
}

/** Whether a known sum of another kind of message comes to these transactions. */
function isSumBesides(before: ReportedDebit, debits: readonly AccountDebit[], known: KnownReports): boolean {
  const [first] = debits as [AccountDebit];
  return before.isSum && debits.length > 1 && areOneEntry(before, before.amount, { ...first, amount: totalOf(debits) }, known);
}

/** Whether an entry, of which another kind of message reports a debit, may be this one, by account, days and what it comes to. */
function areOneEntry(before: ReportedDebit, total: MinorUnits | null, sum: AccountDebit, known: KnownReports): boolean {
  if (!isReportedElsewhere(before, known) || before.takesBack !== null || sum.takesBack !== undefined) return false;
  const isOfAccount = before.account === sum.account && before.currency === sum.currency;
  return isOfAccount && total === sum.amount && daysBetween(before, sum) <= mostDaysBetween;
}

/** Whether only the other kind of message, a notification for a statement, has reported a debit. */
function isReportedElsewhere({ listedAs, notifiedAs }: ReportedDebit, { isListed }: KnownReports): boolean {
  return isListed ? listedAs === null && notifiedAs !== null : listedAs !== null && notifiedAs === null;
}

function totalOf(debits: readonly AccountDebit[]): MinorUnits {
  return sumOf(debits.map(({ amount }) => amount)) ?? minorUnits(0n);
}

/** Whether the transactions of a known sum are recorded in its place: it is not explained yet, and they add up to it. */
function replacesSum(plan: DebitPlan, sum: ReportedDebit, debits: readonly AccountDebit[]): boolean {
  const total = totalOf(debits);
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
function planSum(plan: DebitPlan, known: KnownReports, sum: AccountDebit): void {
  const details = detailsOf(sum, known);
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

/** The known transactions of a sum: of the entry with its number or, of another kind of message, of an entry that comes to it. */
function detailsOf(sum: AccountDebit, known: KnownReports): ReportedDebit[] {
  const candidates = known.index.candidates(sum).filter(({ isSum }) => !isSum);
  const ofEntry = candidates.filter((before) => isOfEntry(before, sum, known));
  if (ofEntry.length > 0 || !sum.isSum) return ofEntry;
  const besides = candidates.filter((before) => before.entryReference !== null && areOneEntry(before, before.entryTotal, sum, known));
  const [, ...others] = besides.filter(({ entryReference }) => entryReference === besides[0]?.entryReference);
  if (others.length === 0 || (sum.transactions ?? others.length + 1) !== others.length + 1) return [];
  return besides.filter(({ entryReference }) => entryReference === besides[0]?.entryReference);
}

function planKnown(plan: DebitPlan, known: KnownReports, before: ReportedDebit, debit: AccountDebit): void {
  if (before.amount === debit.amount && before.currency === debit.currency) return list(plan, known, before, debit);
  const conflicting = { ...debit, reference: conflictReference(debit.reference, [debit.amount.toString(), debit.currency]) };
  if (known.index.candidates(conflicting).some(({ reference }) => reference === conflicting.reference)) return;
  const text = `${formatAmount(before.amount)} ${before.currency.toUpperCase()}`;
  record(plan, known, { debit: conflicting, problem: `the bank's reference ${debit.reference} was used before, for ${text}` });
}

function record(plan: DebitPlan, { index, document, isListed }: KnownReports, { debit: reported, problem, listedIn }: PlannedDebit): void {
  const used = new Set(index.candidates(reported).flatMap(({ reference }) => (plan.replace.includes(reference) ? [] : reference)));
  const reference = [reported.reference, ...dayReferences(reported)].find((free) => !used.has(free)) ?? reported.reference;
  const debit = { ...reported, reference };
  const payment = (debit.takesBack === undefined ? idOfEndToEndId(debit.endToEndId) : undefined) ?? null;
  const isTwice = payment !== null && index.candidates(debit).some((before) => before.payment === payment);
  const doubt = problem ?? (isTwice ? 'the bank has booked this payment before' : undefined);
  plan.record.push({ debit, ...(doubt !== undefined && { problem: doubt }), ...(listedIn !== undefined && { listedIn }) });
  const isStated = isListed || listedIn !== undefined;
  const { payee, ...facts } = debit;
  index.add({
    ...facts,
    entryReference: facts.entryReference ?? null,
    listedAs: isStated ? facts.reference : null,
    listedOn: isStated ? facts.bookedOn : null,
    listedIn: listedIn ?? (isListed ? document : null),
    notifiedAs: isListed ? null : facts.reference,
    entryTotal: null,
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

function list(
  plan: DebitPlan,
  { document, isListed }: KnownReports,
  before: ReportedDebit,
  { reference: as, bookedOn: on }: AccountDebit,
): void {
  plan.list.push({ reference: before.reference, as, on, document, isListed });
  if (!isListed) before.notifiedAs ??= as;
  else if (before.listedAs === null) Object.assign(before, { listedAs: as, listedOn: on, listedIn: document });
}

function isOfEntry(known: ReportedDebit, debit: AccountDebit, { isListed }: KnownReports): boolean {
  const isSameEntry = known.entryReference !== null && known.entryReference === debit.entryReference;
  return (isSameEntry || (known.isSum && known.reference === debit.reference)) && !areOfOtherDays(known, debit, isListed);
}

/** Whether a number of the bank is another one, because the bank counts anew each day: statements list both on other days, or they lie too far apart. */
function areOfOtherDays({ bookedOn, listedOn }: ReportedDebit, debit: AccountDebit, isListed: boolean): boolean {
  return isListed && listedOn !== null ? listedOn !== debit.bookedOn : daysBetween({ bookedOn }, debit) > mostDaysBetween;
}

/** Whether a known debit is the same money. A statement lists money once, so what it lists under another reference is other money. */
function isSameMoney(known: ReportedDebit, debit: AccountDebit, report: KnownReports): boolean {
  const { isListed } = report;
  if (isListed && known.listedIn !== null && report.isApart(known.listedIn)) return false;
  const numbers = numbersOf(known);
  if (dayReferences(debit).some((reference) => numbers.has(reference))) return true;
  if (numbers.has(debit.reference) || (!debit.isSum && known.reference === `${debit.reference}#tx1`))
    return !areOfOtherDays(known, debit, isListed);
  if (known.isSum && debit.isSum && isOfEntry(known, debit, report)) return true;
  if ((known.takesBack === null) !== (debit.takesBack === undefined)) return false;
  if (known.isSum !== debit.isSum || (isListed && known.listedAs !== null)) return false;
  if (known.amount !== debit.amount || known.currency !== debit.currency || known.account !== debit.account) return false;
  if (known.uetr !== null && debit.uetr !== undefined) return known.uetr === debit.uetr;
  const payment = idOfEndToEndId(debit.endToEndId);
  if (payment !== undefined && known.payment === payment) return true;
  if (isReportedElsewhere(known, report)) return daysBetween(known, debit) <= mostDaysBetween && hasSameFacts(known, debit);
  // Two notifications with a reference each are two debits; one without a reference may be the same money by its facts.
  const isOneUnnumbered = unnumbered.test(known.reference) !== unnumbered.test(debit.reference);
  return isOneUnnumbered && known.bookedOn === debit.bookedOn && hasSameFacts(known, debit);
}

/** The bank's references of a debit. */
function numbersOf({ reference, listedAs, notifiedAs }: ReportedDebit): Set<string> {
  return new Set([reference, listedAs, notifiedAs].flatMap((number) => number ?? []));
}

function hasSameFacts(known: ReportedDebit, { endToEndId, payee }: AccountDebit): boolean {
  return agrees(known.endToEndId, endToEndId) && agrees(known.payeeIban, payee.iban) && agrees(known.payeeName, payee.name);
}

function agrees(before: string | null, now: string | undefined): boolean {
  return before === null || now === undefined || before === now;
}
