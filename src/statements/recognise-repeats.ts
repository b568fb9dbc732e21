import { isBankReference } from '../bank/iso20022/camt/credit-references.ts';
import { findPossibleRepeats } from '../ledger/bank/possible-repeats.ts';
import { isOwnPayment } from '../ledger/bank/returns/own-payments.ts';
import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { RepeatedCredit } from '../ledger/bank/repeated-credits.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import type { ReportedCredit } from '../ledger/bank/reported-credits.ts';
import { doubts } from './entry-plan/entry-plan.ts';
import type { ReportedEntry } from './reported-entry.ts';
import {
  areOtherMoney,
  creditsMaster,
  ibansOfRepeats,
  isSameUetr,
  type Likeness,
  likenessOf,
  type MoneyReport,
  reportOf,
} from './same-money.ts';

/** What turns out of recorded credits, which are unmatched, by a report that says more. */
export interface RecognisedRepeats {
  /** Those that are the money of the new credit. */
  repeated: RepeatedCredit[];
  /** Those that may be. */
  suspected: RepeatedCredit[];
}

/** A credit that is about to be recorded, and the entry that reports it. */
export interface PlannedCredit {
  credit: NewCredit;
  entry: ReportedEntry;
}

/** A credit that counts, with all reports of its money. */
interface KnownMoney {
  reference: string;
  reports: MoneyReport[];
  /** Whether the credit that counts waits for an operator. */
  isUnmatched: boolean;
  /** The credit whose money it may be, as long as nobody has decided. */
  suspectedOf: string | undefined;
  /** The credit and those that repeat it, as far as they are not recorded yet. */
  planned: NewCredit[];
  /** Whether there may be further reports. */
  isPartial: boolean;
}

/**
 * Decides of credits under new references whether they are new money, by the table in docs/bank-files.md (Repeats): sets `repeats` of those
 * that are another report of recorded money or may be. Sees earlier ones of the same list. One query, whatever their number.
 *
 * Returns what changes of recorded credits that could not become orders, where a new report says more.
 */
export async function recogniseRepeats(tx: LedgerTransaction, planned: readonly PlannedCredit[]): Promise<RecognisedRepeats> {
  const credits = planned.map(({ credit }) => credit);
  const sought = credits.filter((credit) => credit.isSum !== true && credit.repeats?.isCertain !== true);
  const recorded = await findPossibleRepeats(
    tx,
    sought.map((credit) => ({ credit, ibans: ibansOfRepeats(credit) })),
  );
  const index = createIndex(recorded);
  const entries = new Map(planned.map(({ credit, entry }) => [credit, entry]));
  /**
   * Whether two credits of the list are transactions of one entry. The reader gives transactions only where they come to the amount of their entry, so
   * the bank has booked both of them. Two with one UETR are an error of the bank all the same.
   */
  const areOfOneEntry = (credit: NewCredit, other: NewCredit) =>
    entries.get(credit) === entries.get(other) && (credit.uetr ?? '') !== other.uetr;
  const changes: RecognisedRepeats = { repeated: [], suspected: [] };
  for (const credit of credits) {
    if (credit.isSum === true) continue;
    const report = reportOf(credit);
    if (credit.repeats?.isCertain === true) {
      index.add({ ...newMoney(credit, report), reference: credit.repeats.reference, planned: [], isPartial: true });
      continue;
    }
    const candidates = index.candidates(report).filter((known) => !known.planned.some((other) => areOfOneEntry(credit, other)));
    if (candidates.some(({ reports }) => reports.some(({ reference }) => reference === credit.reference))) continue;
    const { certain, possible } = alike(report, candidates);
    if (certain === undefined) {
      changes.suspected.push(...suspectOneOf(credit, possible));
      index.add(newMoney(credit, report));
      continue;
    }
    if (saysMore(credit, certain)) {
      changes.repeated.push(...takeOver(credit, certain));
      const [other] = possible;
      if (other !== undefined) suspect(credit, other);
      else if (certain.suspectedOf !== undefined) suspect(credit, { ...certain, reference: certain.suspectedOf });
    } else credit.repeats = { reference: certain.reference, isCertain: true };
    certain.planned.push(credit);
    index.addReport(certain, report);
  }
  return changes;
}

/** A credit of the list as money that later ones may be. */
function newMoney(credit: NewCredit, report: MoneyReport): KnownMoney {
  const suspectedOf = credit.repeats?.isCertain === false ? credit.repeats.reference : undefined;
  return {
    reference: credit.reference,
    reports: [report],
    isUnmatched: mayBeHeld(credit),
    suspectedOf,
    planned: [credit],
    isPartial: false,
  };
}

/** Of the money that a report may be of, the first that it agrees with for certain, and all that it may be besides. */
function alike(report: MoneyReport, candidates: readonly KnownMoney[]): { certain: KnownMoney | undefined; possible: KnownMoney[] } {
  const likenesses = candidates
    .map((known) => ({ known, likeness: likenessOfAll(report, known) }))
    .filter(({ likeness }) => likeness !== 'none');
  const certain = likenesses.find(({ known, likeness }) => likeness === 'certain' && !isReportedLike(known, report))?.known;
  return { certain, possible: likenesses.flatMap(({ known }) => (known === certain ? [] : [known])) };
}

/**
 * Holds a credit that may be known money. Of two of which only one names a creditor without a doubt, the other is held; but never when further money that
 * it may be counts already, or when the other may itself be money that counts: then the new credit would be issued besides that.
 */
function suspectOneOf(credit: NewCredit, possible: readonly KnownMoney[]): RepeatedCredit[] {
  const counting = possible.find((known) => !saysMore(credit, known) || known.suspectedOf !== undefined);
  if (counting === undefined) return possible.flatMap((known) => suspectInstead(credit, known));
  suspect(credit, counting);
  return [];
}

/** How a report compares with all reports of known money: the best of them decides, unless one of them contradicts. */
function likenessOfAll(report: MoneyReport, { reports, isPartial }: KnownMoney): Likeness {
  const likenesses = reports.map((other) => likenessOf(report, other));
  if (likenesses.every((likeness) => likeness === 'none')) return 'none';
  if (reports.some((other) => areOtherMoney(report, other)))
    return reports.some((other) => isSameUetr(report, other)) ? 'possible' : 'none';
  return likenesses.includes('certain') && !isPartial ? 'certain' : 'possible';
}

/**
 * Whether the money has been reported already by a message of the same kind, with a reference of the bank or without one. A bank lists a booking
 * once in each kind of message, so a second one there is other money. By this each report is taken for at most one credit.
 */
function isReportedLike({ reports }: KnownMoney, { message, reference }: MoneyReport): boolean {
  return reports.some(
    (other) =>
      isBankReference(other.reference) === isBankReference(reference) &&
      (other.message === null || message === null || other.message === message),
  );
}

/** Whether a report removes what keeps a recorded credit from its order: a doubt of the reader, or that no creditor was named. */
function saysMore(credit: NewCredit, { isUnmatched, reports: [first] }: KnownMoney): boolean {
  if (!isUnmatched || first === undefined || credit.railReason !== undefined) return false;
  const isUndoubted = first.railReason === null || first.railReason === 'suspected_repeat';
  return isUndoubted ? creditsMaster(first) && !creditsMaster(reportOf(credit)) : doubts.has(first.railReason ?? '');
}

/** Whether a credit that is not recorded yet is unmatched, or may be, because its report names no creditor. */
function mayBeHeld(credit: NewCredit): boolean {
  return credit.unmatched !== undefined || creditsMaster(reportOf(credit));
}

/** Makes the new credit the one that counts. */
function takeOver(credit: NewCredit, known: KnownMoney): RepeatedCredit[] {
  const { reference, planned } = known;
  const isRecorded = planned.every((other) => other.reference !== reference);
  for (const other of planned) other.repeats = { reference: credit.reference, isCertain: true };
  known.reference = credit.reference;
  known.isUnmatched = false;
  return isRecorded ? [{ reference, repeats: credit.reference }] : [];
}

/** Holds the known money instead of the new credit, which says more. */
function suspectInstead(credit: NewCredit, known: KnownMoney): RepeatedCredit[] {
  known.suspectedOf = credit.reference;
  const root = known.planned.find(({ reference }) => reference === known.reference);
  if (root === undefined) return [{ reference: known.reference, repeats: credit.reference }];
  suspect(root, { ...known, reference: credit.reference, reports: [reportOf(credit)] });
  return [];
}

/** Holds a credit that may be recorded money. A reason of the reader is graver, and stays; a payment of ours that came back is held in any case. */
function suspect(credit: NewCredit, { reference, reports }: KnownMoney): void {
  if (credit.repeats !== undefined || isOwnPayment(credit.railReason)) return;
  const shared = reports.some((other) => isSameUetr(reportOf(credit), other))
    ? `the UETR ${credit.uetr}`
    : `the EndToEndId ${credit.endToEndId}, its amount and day`;
  const why = `it may be the money of ${reference}, which has ${shared}`;
  credit.repeats = { reference, isCertain: false };
  credit.railReason ??= 'suspected_repeat';
  credit.unmatched = credit.unmatched === undefined ? why : `${credit.unmatched}; ${why}`;
}

/** Known money by UETR and by EndToEndId. */
function createIndex(recorded: readonly ReportedCredit[]) {
  const byKey = new Map<string, KnownMoney[]>();

  function addReport(known: KnownMoney, report: MoneyReport): void {
    if (!known.reports.includes(report)) known.reports.push(report);
    for (const key of keysOf(report)) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [known]);
      else others.push(known);
    }
  }

  function add(known: KnownMoney): void {
    for (const report of known.reports) addReport(known, report);
  }

  for (const known of knownMoney(recorded)) add(known);
  return {
    add,
    addReport,
    candidates: (report: MoneyReport) => [...new Set(keysOf(report).flatMap((key) => byKey.get(key) ?? []))],
  };
}

function keysOf({ uetr, endToEndId, amount, bookedOn }: MoneyReport): string[] {
  const byUetr = uetr === null ? [] : [`uetr ${uetr}`];
  return endToEndId === null ? byUetr : [...byUetr, JSON.stringify([endToEndId, `${amount}`, bookedOn])];
}

function knownMoney(recorded: readonly ReportedCredit[]): KnownMoney[] {
  const roots = recorded.filter(({ state }) => state !== 'repeated');
  const repeats = Map.groupBy(
    recorded.filter(({ state }) => state === 'repeated'),
    (credit) => credit.repeats,
  );
  return roots.map((root) => ({
    reference: root.reference,
    reports: [root, ...(repeats.get(root.reference) ?? [])],
    isUnmatched: root.state === 'unmatched',
    suspectedOf: root.state === 'unmatched' ? (root.repeats ?? undefined) : undefined,
    planned: [],
    isPartial: false,
  }));
}
