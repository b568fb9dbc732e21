import { areApart, contradict, daysBetween, differ, isSame, mostDaysBetween } from './compare-lines.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';

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
  lines: [ReportedLine, ...ReportedLine[]];
}

/**
 * Finds the sums whose transactions another document lists in full: under the same number of the entry, or as many as the batch has, with the same total. Each is
 * taken once in each document.
 */
export function linkSums(lines: readonly ReportedLine[]): EntryLink[] {
  const sums = lines.filter(({ isSum }) => isSum);
  if (sums.length === 0) return [];
  const byEntry = Map.groupBy(
    lines.filter(({ isSum }) => !isSum),
    ({ entry }) => entry.id,
  );
  const entries = [...byEntry].map(([id, [first, ...others]]): DetailedEntry => ({ id, lines: [first as ReportedLine, ...others] }));
  const byTotal = Map.groupBy(entries, ({ lines: [{ entry, currency }] }) => `${entry.total} ${currency}`);
  const pairs = sums.flatMap((sum) =>
    (byTotal.get(`${sum.entry.total} ${sum.currency}`) ?? []).flatMap((entry, _, alike) => {
      const strength = strengthOf(sum, entry);
      if (strength === undefined || (strength < byNumber && alike.some((other) => isListedAs(entry, other, sum)))) return [];
      return [{ sum, entry, strength }];
    }),
  );
  const bookings = new Map<string, Booking>();
  for (const { sum, entry } of pairs.toSorted((one, other) => other.strength - one.strength || compare(one, other))) {
    const ofSum = bookings.get(sum.id) ?? { sums: [sum], entries: [] };
    const ofEntry = bookings.get(entry.id) ?? { sums: [], entries: [entry] };
    if (ofSum === ofEntry || !areCompatible(ofSum, ofEntry)) continue;
    const joined = { sums: [...ofSum.sums, ...ofEntry.sums], entries: [...ofSum.entries, ...ofEntry.entries] };
    for (const { id } of [...joined.sums, ...joined.entries]) bookings.set(id, joined);
  }
  return [...new Set(bookings.values())].map(linkOf);
}

/** What is known to be one booking. */
interface Booking {
  sums: ReportedLine[];
  entries: DetailedEntry[];
}

/** Whether no document reports both, the bank's numbers of one kind of message do not tell them apart, and their transactions can be the same. */
function areCompatible(one: Booking, other: Booking): boolean {
  const [first, second] = [linesOf(one), linesOf(other)];
  const areApartNowhere = first.every((line) =>
    second.every(({ document, entry }) => {
      if (line.document.id === document.id) return false;
      return line.document.kind !== document.kind || !differ(line.entry.number, entry.number);
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
  return sums.concat(entries.map(({ lines: [line] }) => line));
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

/** Whether a statement lists an entry of a notification with its transactions, under another number than a sum: then the sum is another entry. */
function isListedAs({ lines }: DetailedEntry, other: DetailedEntry, sum: ReportedLine): boolean {
  const [[first], [listed]] = [lines, other.lines];
  if (listed.document.kind !== statementKind || first.document.kind === statementKind) return false;
  if (daysBetween(first, listed) > mostDaysBetween || !differ(listed.entry.number, sum.entry.number)) return false;
  return lines.length === other.lines.length && areSameTransactions(lines, other.lines);
}

/** How alike they are; undefined where they are not one booking. */
function strengthOf(sum: ReportedLine, { lines }: DetailedEntry): number | undefined {
  const [first] = lines;
  if (areApart(sum, first) || daysBetween(sum, first) > mostDaysBetween) return undefined;
  if (isSame(sum.entry.number, first.entry.number))
    return lines.length > 1 || sum.isBatch ? byNumber + mostDaysBetween - daysBetween(sum, first) : undefined;
  if (sum.document.kind === first.document.kind && differ(sum.entry.number, first.entry.number)) return undefined;
  const isComplete = sum.entry.count === null || sum.entry.count === lines.length;
  return sum.isBatch && isComplete && lines.length > 1 ? 10 - daysBetween(sum, first) : undefined;
}

function compare(one: { sum: ReportedLine; entry: DetailedEntry }, other: { sum: ReportedLine; entry: DetailedEntry }): number {
  const [first, second] = [one, other].map(({ sum, entry }) => `${sum.content} ${entry.lines[0].content}`) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}
