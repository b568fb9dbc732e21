import { mostDaysBetween } from '../../ledger/bank/related-reports.ts';
import { areApart, areOfOtherDays, compareTexts, contradict, daysBetween, differ, haveOtherNumbers, isSame } from './compare-lines.ts';
import { type Charged, groupByAmount, haveOneAmount, otherAmounts } from './charged-amounts.ts';
import { mostPairs, positionsOf } from './match-groups.ts';
import { type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';

/** Entries that are one booking: reported as a sum, and with their transactions. */
export interface EntryLink {
  sums: ReportedLine[];
  /** Ids of the entries whose transactions stand for the sum. */
  entries: Set<string>;
  /** Whether a statement lists the sum. */
  isStated: boolean;
  /** How much more the transactions come to than the sum that a statement lists, by the charges that a message names, in minor units. */
  kept: MinorUnits;
}

/** An entry as a document reports it: as a sum, which is its only line, or with its transactions. */
interface ReportedEntry {
  first: ReportedLine;
  lines: ReportedLine[];
}

/** A sum, and an entry whose transactions may stand for it. */
interface Pair {
  sum: ReportedEntry;
  entry: ReportedEntry;
  strength: number;
}

/**
 * Finds the sums whose transactions another document lists in full: under the same number of the entry, or as many as the batch has, with the same total. Each is
 * taken once in each document.
 */
export function linkSums(lines: readonly ReportedLine[]): EntryLink[] {
  const sums = lines.filter(({ isSum }) => isSum).map((sum): ReportedEntry => ({ first: sum, lines: [sum] }));
  const totals = new Set(sums.flatMap(({ first }) => totalsOf(first)));
  const listed = lines.filter((line) => !line.isSum && totalsOf(line).some((total) => totals.has(total)));
  const entries = [...Map.groupBy(listed, ({ entry }) => entry.id).values()].map((ofEntry): ReportedEntry => ({
    first: ofEntry[0] as ReportedLine,
    lines: ofEntry,
  }));
  return groupByAmount([...sums, ...entries], ({ first }) => chargedTotal(first)).flatMap((alike) => {
    const [ofSums = [], ofEntries = []] = [true, false].map((isSum) => alike.filter(({ first }) => first.isSum === isSum));
    return linkAlike(ofSums, ofEntries);
  });
}

/** What the entry of a line comes to, and what else by the charges that its message names. */
function totalsOf(line: ReportedLine): string[] {
  const { currency, ...charged } = chargedTotal(line);
  return [charged.amount, ...otherAmounts(charged)].map((total) => `${total} ${currency}`);
}

function chargedTotal({ entry: { total: amount, charges }, currency, document }: ReportedLine): Charged {
  return { amount, charges, currency, document };
}

/** Of a sum: it is nobody's alone. */
const ofSeveral = { isSum: true, isBatch: true, iban: null, payerAccount: null, payerName: null };

/** Takes the only transaction that an entry lists, without a number of its own, for the entry as a whole where another document lists several of that entry, one of which it is. */
export function withWholeEntries(lines: readonly ReportedLine[]): ReportedLine[] {
  const numbered = Map.groupBy(
    lines.filter(({ entry, isSum }) => entry.number !== null && !isSum),
    // On another day it may be another entry: many banks count anew each day.
    (line) => `${line.entry.number} ${line.bookedOn} ${totalOf(line)}`,
  );
  const whole = new Set<ReportedLine>();
  for (const alike of numbered.values()) {
    const entries = [...Map.groupBy(alike, ({ entry }) => entry.id).values()];
    const several = entries.filter(({ length }) => length > 1);
    for (const [line, ...others] of entries) {
      if (line === undefined || others.length > 0 || line.amount !== line.entry.total || differ(line.number, line.entry.number)) continue;
      if (several.some((parts) => parts.some((part) => !areApart(line, part) && !saysOther(line, part)))) whole.add(line);
    }
  }
  return whole.size === 0 ? [...lines] : lines.map((line) => (whole.has(line) ? { ...line, ...ofSeveral } : line));
}

/** Whether two lines say different things of whose payment they are. */
function saysOther(line: ReportedLine, other: ReportedLine): boolean {
  return (['endToEndId', 'uetr', 'payerAccount', 'iban'] as const).some((fact) => differ(line[fact], other[fact]));
}

/** Whether a line is of the entry of a sum, by its number on a day: one that comes again on another day may be a new one. */
export function isPartOf(line: ReportedLine, sums: readonly ReportedLine[]): boolean {
  return sums.some((sum) => isSame(sum.entry.number, line.entry.number) && !areApart(sum, line) && daysBetween(sum, line) === 0);
}

function totalOf({ entry, currency }: ReportedLine): string {
  return `${entry.total} ${currency}`;
}

/** Links sums and entries of one total: first what one number of the bank shows, then as many of them as there are, then what repeats them. */
function linkAlike(sums: readonly ReportedEntry[], entries: readonly ReportedEntry[]): EntryLink[] {
  const bookings = new Map<ReportedEntry, ReportedEntry[]>();
  const bookingOf = (entry: ReportedEntry) => bookings.get(entry) ?? [entry];
  function join(one: ReportedEntry, other: ReportedEntry): void {
    const [first, second] = [bookingOf(one), bookingOf(other)];
    if (first === second || !first.every((line) => second.every((known) => areCompatible(line, known)))) return;
    const joined = [...first, ...second];
    for (const entry of joined) bookings.set(entry, joined);
  }
  const positions = positionsOf(
    [...sums, ...entries].map(({ first }) => first),
    placeOf,
  );
  const samePlaces = Map.groupBy([...sums, ...entries], ({ first }) => `${placeOf(first)} ${positions.get(first)}`);
  for (const [one, ...others] of samePlaces.values())
    for (const other of others) if (one !== undefined && !areApart(one.first, other.first)) join(one, other);
  const pairs = pairsOf(sums, entries).toSorted(
    (one, other) => other.strength - one.strength || compareTexts(contentOf(one), contentOf(other)),
  );
  for (const isRepeat of [false, true])
    for (const { sum, entry, strength } of pairs) {
      const isKnownAs = (booking: ReportedEntry[], { first }: ReportedEntry) =>
        booking.some((known) => known.first.isSum === first.isSum && known.first.document.kind === first.document.kind);
      if (isRepeat || strength >= byNumber || !(isKnownAs(bookingOf(sum), entry) || isKnownAs(bookingOf(entry), sum))) join(sum, entry);
    }
  return [...new Set(bookings.values())].map(linkOf).filter((link) => link.sums.length > 0 && link.entries.size > 0);
}

/** Where a sum or an entry is listed once: under its number in a kind of message on a day, or without one in the statements of a day and in what is sent again. */
function placeOf({ entry: { number }, document: { kind, name, createdAt }, bookedOn, isSum }: ReportedLine): string {
  const isListedOnce = number !== null || kind === statementKind;
  return `${kind} ${isSum} ${bookedOn} ${isListedOnce ? '' : `${name} ${createdAt}`} ${number}`;
}

/** The pairs that may be one booking. Of very many, those that have the same number, or the same place among others of their day. */
function pairsOf(sums: readonly ReportedEntry[], entries: readonly ReportedEntry[]): Pair[] {
  const listedAs = new Map<ReportedEntry, ReportedEntry[]>();
  const stated = entries.filter(({ first }) => first.document.kind === statementKind);
  const notified = entries.filter(({ first }) => first.document.kind !== statementKind);
  /** The entries of statements that list this one: none where as many others of notifications are listed by them. */
  function findListed(entry: ReportedEntry): ReportedEntry[] {
    const known = stated.filter((other) => isListedAs(entry, other));
    const others = notified.slice(0, known.length && notified.indexOf(entry)).filter((other) => areOtherBatches(entry, other));
    return others.length < new Set(known.map(({ first }) => placeOf(first))).size ? known : [];
  }
  function isListedElsewhere({ first: sum }: ReportedEntry, entry: ReportedEntry): boolean {
    const known = listedAs.get(entry) ?? findListed(entry);
    listedAs.set(entry, known);
    const isNumbered = isSame(sum.entry.number, entry.first.entry.number);
    return known.some(({ first }) => areApart(first, sum) || (!isNumbered && differ(first.entry.number, sum.entry.number)));
  }
  const near = sums.length * entries.length > mostPairs ? nearPairs(sums, entries) : sums.map((sum) => [sum, entries] as const);
  return near.flatMap(([sum, alike]) =>
    alike.flatMap((entry) => {
      const strength = strengthOf(sum.first, entry);
      return strength === undefined || isListedElsewhere(sum, entry) ? [] : [{ sum, entry, strength }];
    }),
  );
}

const inMessage = ({ first: { document, bookedOn } }: ReportedEntry) => `${document.id} ${bookedOn}`;
const inKind = ({ first: { document, bookedOn } }: ReportedEntry) => `${document.kind} ${bookedOn}`;

function nearPairs(sums: readonly ReportedEntry[], entries: readonly ReportedEntry[]): [ReportedEntry, ReportedEntry[]][] {
  const numbered = Map.groupBy(entries, ({ first }) => first.entry.number);
  const near = new Map(sums.map((sum) => [sum, new Set(sum.first.entry.number === null ? [] : numbered.get(sum.first.entry.number))]));
  // A message lists each once, and the others of its kind may list them in several.
  for (const [sumPlace, entryPlace] of [
    [inMessage, inKind],
    [inKind, inMessage],
  ] as const) {
    const entryGroups = Map.groupBy(entries, entryPlace);
    for (const ofSums of Map.groupBy(sums, sumPlace).values())
      for (const ofEntries of entryGroups.values())
        for (const [index, entry] of ofEntries.slice(0, ofSums.length).entries()) near.get(ofSums[index] as ReportedEntry)?.add(entry);
  }
  return [...near].map(([sum, alike]) => [sum, [...alike]]);
}

/** Whether two reports are not apart, the bank's numbers of one kind of message do not tell them apart, and their transactions can be the same. */
function areCompatible({ first: one, lines }: ReportedEntry, { first: other, lines: others }: ReportedEntry): boolean {
  if (areApart(one, other)) return false;
  if (haveOtherNumbers(one, other) || areOfOtherDays(one, other) || !haveOneAmount(chargedTotal(one), chargedTotal(other))) return false;
  return one.isSum || other.isSum || areSameTransactions(lines, others);
}

/** Whether each transaction of an entry has one of its own in the other that does not contradict it. */
function areSameTransactions(lines: readonly ReportedLine[], others: readonly ReportedLine[]): boolean {
  const left = [...others];
  return lines.every((line) => {
    const index = left.findIndex((other) => !contradict(line, other));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function linkOf(booking: readonly ReportedEntry[]): EntryLink {
  const sums = booking.map(({ first }) => first).filter(({ isSum }) => isSum);
  const entries = booking.filter(({ first }) => !first.isSum);
  const stated = sums.find(({ document }) => document.kind === statementKind);
  return {
    sums,
    entries: new Set(entries.map(({ first }) => first.entry.id)),
    isStated: stated !== undefined,
    kept: stated === undefined ? minorUnits(0n) : keptOf(stated, entries),
  };
}

/** How much more than a sum entries list, none of which comes to it with the charges that it lists besides. */
function keptOf({ amount }: ReportedLine, entries: readonly ReportedEntry[]): MinorUnits {
  const [entry] = entries;
  if (amount === null || entry === undefined || entries.some(({ first }) => first.entry.total === amount)) return minorUnits(0n);
  const { total } = entry.first.entry;
  const listed = entry.lines.reduce((sum, line) => sum + (line.amount ?? 0n), 0n);
  return minorUnits(total === null || listed === amount ? 0n : total - amount);
}

/** From here on the bank's number of the entry shows it. */
const byNumber = 100;

/** Whether a statement lists an entry of a notification with its transactions: a sum under another number or of another day than that is another entry. */
function isListedAs({ first, lines }: ReportedEntry, { first: listed, lines: others }: ReportedEntry): boolean {
  if (first.document.kind === statementKind || daysBetween(first, listed) > mostDaysBetween) return false;
  return lines.length === others.length && areSameTransactions(lines, others);
}

/** Whether notifications tell of two entries with such transactions, by their numbers or in one message. */
function areOtherBatches({ first, lines }: ReportedEntry, { first: other, lines: others }: ReportedEntry): boolean {
  const areApart =
    first.document === other.document || (first.document.kind === other.document.kind && differ(first.entry.number, other.entry.number));
  return areApart && lines.length === others.length && areSameTransactions(lines, others);
}

/** How alike they are; undefined where they are not one booking. */
function strengthOf(sum: ReportedLine, { first, lines }: ReportedEntry): number | undefined {
  if (areApart(sum, first) || daysBetween(sum, first) > mostDaysBetween) return undefined;
  if (!haveOneAmount(chargedTotal(sum), chargedTotal(first))) return undefined;
  const haveOtherCounts = sum.entry.count !== null && first.entry.count !== null && sum.entry.count !== first.entry.count;
  if (isSame(sum.entry.number, first.entry.number)) {
    if (lines.length === 1 && !sum.isBatch) return undefined;
    // A bank may count its numbers anew: as many transactions say more than the day.
    if (haveOtherCounts) return daysBetween(sum, first) > 0 ? undefined : byNumber;
    return byNumber + 1 + mostDaysBetween - daysBetween(sum, first);
  }
  if (haveOtherNumbers(sum, first)) return undefined;
  // What the bank charges is a line of its own.
  const isComplete = sum.entry.count === null || sum.entry.count === lines.length || sum.entry.count === first.entry.count;
  if (!isComplete || lines.length === 1) return undefined;
  if (sum.isBatch) return 10 - daysBetween(sum, first);
  return sum.entry.count === null ? -daysBetween(sum, first) : undefined;
}

function contentOf({ sum, entry }: Pair): string {
  return `${sum.first.content} ${entry.first.content}`;
}
