import { haveOtherBookings, isSame } from './compare-lines.ts';
import { compareMoney, type Money } from './money.ts';
import { type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';

/** Holds what one report of an entry lists besides what another lists, where they share a part, each has more, and no report has all of it: they contradict each other. */
export function holdOverlaps(all: readonly Money[]): void {
  const entries = Map.groupBy(all.flatMap(linesOfEntry), ({ line }) => entryOf(line));
  for (const reported of entries.values()) {
    const lists = [...Map.groupBy(reported, ({ line }) => line.entry.id).values()].map((of) => new Set(of.map(({ money }) => money)));
    if (lists.length < 2) continue;
    const everything = [...new Set(reported.map(({ money }) => money))];
    if (lists.some((list) => everything.every((money) => list.has(money)))) continue;
    for (const list of lists) {
      const other = lists.find((known) => isBesides(list, known));
      if (other === undefined) continue;
      for (const money of list) {
        if (other.has(money) || money.credit?.state === 'spent' || money.within !== undefined) continue;
        money.hold ??= { reason: 'details_differ', why: 'other transactions of the same entry are known, which do not add up' };
      }
    }
  }
}

/** The lines of money in the entry in which it counts: a notification may give the entry of another day, by a time in UTC. */
function linesOfEntry(money: Money): { money: Money; line: ReportedLine }[] {
  const counting = new Set(countingLines(money).map(entryOf));
  const lines = money.lines.filter((line) => line.entry.number !== null && !line.isSum && counting.has(entryOf(line)));
  return lines.map((line) => ({ money, line }));
}

function entryOf({ entry, bookedOn }: ReportedLine): string {
  return `${entry.number} ${bookedOn}`;
}

/** Whether two reports of an entry share a part, and the other has more that was issued or recorded before. */
function isBesides(list: ReadonlySet<Money>, known: ReadonlySet<Money>): boolean {
  if (list === known || ![...list].some((money) => known.has(money))) return false;
  return [...known].some((money) => !list.has(money) && money.credit?.state === 'spent');
}

/** Holds money that shares a UETR with other money, or a number of the bank on one day with money of another message: one of the reports is wrong. */
export function holdConflicts(all: readonly Money[]): void {
  const byUetr = indexBy(all, ({ uetr }) => uetr);
  const byNumber = indexBy(all, ({ number }) => number);
  for (const money of all) {
    if (money.hold !== undefined || money.within !== undefined || money.left !== undefined || money.credit?.state === 'spent') continue;
    const { lines, best } = money;
    const ofUetr = lines.flatMap(({ uetr }) => byUetr.get(uetr ?? '') ?? []).find((other) => isBefore(other.money, money))?.money;
    const ofNumber = lines
      .flatMap(({ number }) => byNumber.get(number ?? '') ?? [])
      .find((other) => isBefore(other.money, money) && useOneNumber(money, other.money))?.money;
    if (ofUetr !== undefined)
      money.hold = { reason: 'suspected_repeat', why: `it has the same UETR, ${best.uetr}, and something else contradicts`, of: ofUetr };
    else if (ofNumber !== undefined)
      money.hold = { reason: 'reference_conflict', why: `it has the same number of the bank, ${best.number}`, of: ofNumber };
  }
}

function indexBy(all: readonly Money[], keyOf: (line: ReportedLine) => string | null): Map<string, { money: Money }[]> {
  const keysOf = ({ lines }: Money) => [...new Set(lines.flatMap((line) => keyOf(line) ?? []))];
  return Map.groupBy(
    all.flatMap((money) => keysOf(money).map((key) => ({ key, money }))),
    ({ key }) => key,
  );
}

/** Of two that conflict, the one that counts. */
function isBefore(one: Money, other: Money): boolean {
  if (one === other || one.left !== undefined || one.within !== undefined) return false;
  return compareMoney(one, other) < 0;
}

/** Whether two messages of one day use a number for different money. One message may use it twice, and a bank may count anew each day, or in each statement of a day. */
function useOneNumber(money: Money, other: Money): boolean {
  const [lines, known] = [countingLines(money), countingLines(other)];
  return lines.some((line) => {
    const sharing = known.filter(({ number }) => isSame(number, line.number));
    const isShared = sharing.some(({ bookedOn }) => bookedOn === line.bookedOn || bookedOn === null || line.bookedOn === null);
    const isOfOthers = ({ document }: ReportedLine) =>
      document.id === line.document.id || haveOtherBookings(document, line.document, line.currency ?? '');
    return isShared && !known.some(isOfOthers);
  });
}

/** The lines by which money was counted: of what a statement lists, those of statements. */
function countingLines({ lines }: Money): readonly ReportedLine[] {
  const stated = lines.filter(({ document }) => document.kind === statementKind);
  return stated.length > 0 ? stated : lines;
}
