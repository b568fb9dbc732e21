import { mostDaysBetween } from '../../ledger/bank/related-reports.ts';
import { areApart, contradict, daysBetween, differ, isSame } from './compare-lines.ts';
import { mostPairs } from './match-groups.ts';
import { type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';

/** Entries that are one booking: reported as a sum, and with their transactions. */
export interface EntryLink {
  sums: ReportedLine[];
  /** Ids of the entries whose transactions stand for the sum. */
  entries: Set<string>;
  /** Whether a statement lists the sum. */
  isStated: boolean;
}

/** An entry of which a document lists the transactions. */
interface DetailedEntry {
  id: string;
  first: ReportedLine;
  lines: ReportedLine[];
}

/** What is known to be one booking. */
interface Booking {
  sums: ReportedLine[];
  entries: DetailedEntry[];
}

/** A sum, and an entry whose transactions may stand for it. */
interface Pair {
  sum: ReportedLine;
  entry: DetailedEntry;
  strength: number;
}

/**
 * Finds the sums whose transactions another document lists in full: under the same number of the entry, or as many as the batch has, with the same total. Each is
 * taken once in each document.
 */
export function linkSums(lines: readonly ReportedLine[]): EntryLink[] {
  const sums = Map.groupBy(
    lines.filter(({ isSum }) => isSum),
    totalOf,
  );
  if (sums.size === 0) return [];
  const detailed = Map.groupBy(
    lines.filter((line) => !line.isSum && sums.has(totalOf(line))),
    ({ entry }) => entry.id,
  );
  const entries = [...detailed].map(([id, ofEntry]): DetailedEntry => ({ id, first: ofEntry[0] as ReportedLine, lines: ofEntry }));
  const byTotal = Map.groupBy(entries, ({ first }) => totalOf(first));
  return [...byTotal].flatMap(([total, alike]) => linkAlike(sums.get(total) ?? [], alike));
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
      if (several.some((parts) => parts.some((part) => !areApart(line, part) && saysNoMore(line, part)))) whole.add(line);
    }
  }
  return whole.size === 0 ? [...lines] : lines.map((line) => (whole.has(line) ? { ...line, ...ofSeveral } : line));
}

/** Whether a line says of whose payment it is nothing but what the other says. */
function saysNoMore(line: ReportedLine, other: ReportedLine): boolean {
  return (['endToEndId', 'uetr', 'payerAccount', 'iban'] as const).every((fact) => line[fact] === null || line[fact] === other[fact]);
}

/** Whether a line is of the entry of a sum, by its number on a day: one that comes again on another day may be a new one. */
export function isPartOf(line: ReportedLine, sums: readonly ReportedLine[]): boolean {
  return sums.some((sum) => isSame(sum.entry.number, line.entry.number) && !areApart(sum, line) && daysBetween(sum, line) === 0);
}

function totalOf({ entry, currency }: ReportedLine): string {
  return `${entry.total} ${currency}`;
}

/** Links sums and entries of one total: first what one number of the bank shows, then as many of them as there are, then what repeats them. */
function linkAlike(sums: readonly ReportedLine[], entries: readonly DetailedEntry[]): EntryLink[] {
  const bookings = new Map<string, Booking>();
  const bookingOf = (id: string, alone: Booking): Booking => bookings.get(id) ?? alone;
  const ofSum = (sum: ReportedLine) => bookingOf(sum.id, { sums: [sum], entries: [] });
  const ofEntry = (entry: DetailedEntry) => bookingOf(entry.id, { sums: [], entries: [entry] });
  function join(one: Booking, other: Booking): void {
    if (one === other || !areCompatible(one, other)) return;
    const joined = { sums: [...one.sums, ...other.sums], entries: [...one.entries, ...other.entries] };
    for (const { id } of [...joined.sums, ...joined.entries]) bookings.set(id, joined);
  }
  const reported = [
    ...sums.map((line) => ({ line, booking: () => ofSum(line) })),
    ...entries.map((entry) => ({ line: entry.first, booking: () => ofEntry(entry) })),
  ];
  const positions = positionsOf(reported.map(({ line }) => line));
  for (const [first, ...others] of Map.groupBy(
    reported,
    ({ line }) => `${placeOf(line)} ${line.entry.number} ${positions.get(line)}`,
  ).values())
    for (const other of others) if (first !== undefined && !areApart(first.line, other.line)) join(first.booking(), other.booking());
  const pairs = pairsOf(sums, entries).toSorted((one, other) => other.strength - one.strength || compare(one, other));
  for (const isRepeat of [false, true]) {
    for (const { sum, entry, strength } of pairs) {
      const [one, other] = [ofSum(sum), ofEntry(entry)];
      const isKnown = one.entries.some(isOfKind(entry.first)) || other.sums.some((line) => line.document.kind === sum.document.kind);
      if (isRepeat || strength >= byNumber || !isKnown) join(one, other);
    }
  }
  return [...new Set(bookings.values())].filter((booking) => booking.sums.length > 0 && booking.entries.length > 0).map(linkOf);
}

/** Where a sum or an entry is listed once: under its number in a kind of message on a day, or without one in the statements of a day and in what is sent again. */
function placeOf({ entry: { number }, document: { kind, name, createdAt }, bookedOn, isSum }: ReportedLine): string {
  const isListedOnce = number !== null || kind === statementKind;
  return `${kind} ${isSum} ${bookedOn} ${isListedOnce ? '' : `${name} ${createdAt}`}`;
}

/** The place of lines among those of their document, day and number. */
function positionsOf(lines: readonly ReportedLine[]): Map<ReportedLine, number> {
  const groups = Map.groupBy(lines, (line) => `${placeOf(line)} ${line.entry.number} ${line.document.id}`);
  return new Map([...groups.values()].flatMap((alike) => alike.map((line, index) => [line, index] as const)));
}

function isOfKind({ document: { kind } }: ReportedLine): (entry: DetailedEntry) => boolean {
  return ({ first }) => first.document.kind === kind;
}

/** The pairs that may be one booking. Of very many, those that have the same number, or the same place among others of their day. */
function pairsOf(sums: readonly ReportedLine[], entries: readonly DetailedEntry[]): Pair[] {
  const listedAs = new Map<string, DetailedEntry[]>();
  const stated = entries.filter(({ first }) => first.document.kind === statementKind);
  function isListedElsewhere(sum: ReportedLine, entry: DetailedEntry): boolean {
    const known = listedAs.get(entry.id) ?? stated.filter((other) => isListedAs(entry, other));
    listedAs.set(entry.id, known);
    return known.some(({ first }) => differ(first.entry.number, sum.entry.number) || differ(first.bookedOn, sum.bookedOn));
  }
  const near = sums.length * entries.length > mostPairs ? nearPairs(sums, entries) : sums.map((sum) => [sum, entries] as const);
  return near.flatMap(([sum, alike]) =>
    alike.flatMap((entry) => {
      const strength = strengthOf(sum, entry);
      return strength === undefined || isListedElsewhere(sum, entry) ? [] : [{ sum, entry, strength }];
    }),
  );
}

function inMessage({ document, bookedOn }: ReportedLine): string {
  return `${document.id} ${bookedOn}`;
}

function inKind({ document, bookedOn }: ReportedLine): string {
  return `${document.kind} ${bookedOn}`;
}

function nearPairs(sums: readonly ReportedLine[], entries: readonly DetailedEntry[]): [ReportedLine, DetailedEntry[]][] {
  const near = new Map(sums.map((sum) => [sum, new Set<DetailedEntry>()]));
  const byNumber = Map.groupBy(entries, ({ first }) => first.entry.number);
  for (const sum of sums)
    if (sum.entry.number !== null) for (const entry of byNumber.get(sum.entry.number) ?? []) near.get(sum)?.add(entry);
  // A message lists each once, and the others of its kind may list them in several.
  for (const [sumPlace, entryPlace] of [
    [inMessage, inKind],
    [inKind, inMessage],
  ] as const) {
    const entryGroups = Map.groupBy(entries, ({ first }) => entryPlace(first));
    for (const ofSums of Map.groupBy(sums, sumPlace).values())
      for (const ofEntries of entryGroups.values())
        for (const [index, sum] of ofSums.entries()) {
          const entry = ofEntries[index];
          if (entry === undefined) break;
          near.get(sum)?.add(entry);
        }
  }
  return [...near].map(([sum, alike]) => [sum, [...alike]]);
}

/** Whether no line is apart from another, the bank's numbers of one kind of message do not tell them apart, and their transactions can be the same. */
function areCompatible(one: Booking, other: Booking): boolean {
  const [first, second] = [linesOf(one), linesOf(other)];
  const areApartNowhere = first.every((line) =>
    second.every((known) => {
      if (areApart(line, known)) return false;
      return (
        line.document.kind !== known.document.kind ||
        !(differ(line.entry.number, known.entry.number) || differ(line.bookedOn, known.bookedOn))
      );
    }),
  );
  return areApartNowhere && one.entries.every(({ lines }) => other.entries.every((entry) => areSameTransactions(lines, entry.lines)));
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

function linesOf({ sums, entries }: Booking): ReportedLine[] {
  return sums.concat(entries.map(({ first }) => first));
}

function linkOf({ sums, entries }: Booking): EntryLink {
  return {
    sums,
    entries: new Set(entries.map(({ id }) => id)),
    isStated: sums.some(({ document }) => document.kind === statementKind),
  };
}

/** From here on the bank's number of the entry shows it. */
const byNumber = 100;

/** Whether a statement lists an entry of a notification with its transactions: a sum under another number or of another day than that is another entry. */
function isListedAs({ first, lines }: DetailedEntry, { first: listed, lines: others }: DetailedEntry): boolean {
  if (first.document.kind === statementKind || daysBetween(first, listed) > mostDaysBetween) return false;
  return lines.length === others.length && areSameTransactions(lines, others);
}

/** How alike they are; undefined where they are not one booking. */
function strengthOf(sum: ReportedLine, { first, lines }: DetailedEntry): number | undefined {
  if (areApart(sum, first) || daysBetween(sum, first) > mostDaysBetween) return undefined;
  const haveOtherCounts = sum.entry.count !== null && first.entry.count !== null && sum.entry.count !== first.entry.count;
  if (isSame(sum.entry.number, first.entry.number) && haveOtherCounts && daysBetween(sum, first) > 0) return undefined;
  if (isSame(sum.entry.number, first.entry.number))
    return lines.length > 1 || sum.isBatch ? byNumber + mostDaysBetween - daysBetween(sum, first) : undefined;
  if (sum.document.kind === first.document.kind && differ(sum.entry.number, first.entry.number)) return undefined;
  // What the bank charges is a line of its own.
  const isComplete = sum.entry.count === null || sum.entry.count === lines.length || sum.entry.count === first.entry.count;
  if (!isComplete || lines.length === 1) return undefined;
  if (sum.isBatch) return 10 - daysBetween(sum, first);
  return sum.entry.count === null ? -daysBetween(sum, first) : undefined;
}

function compare(one: Pair, other: Pair): number {
  const [first, second] = [one, other].map(({ sum, entry }) => `${sum.content} ${entry.first.content}`) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}
