import { minorUnits } from '../../platform/money.ts';
import { areApart, daysBetween, isSame } from './compare-lines.ts';
import { decideAlike } from './decide-alike.ts';
import { holdConflicts, holdOverlaps } from './hold-conflicts.ts';
import { compareLines, compareMoney, type Money, moneyOf } from './money.ts';
import type { ReportedLine } from './reported-line.ts';
import { shareCredits } from './share-credits.ts';
import { type EntryLink, linkSums, withWholeEntries } from './sums.ts';

/**
 * Decides what money the lines of an account are, all of which arrived or all of which left. What comes out depends on the lines and on the credits that were made of them, and never on the order in which
 * they came: a further line adds money or says more of it. The rules are those of docs/bank-files.md (Which money is it?).
 */
export function decideMoney(reported: readonly ReportedLine[]): Money[] {
  const lines = withWholeEntries(reported).toSorted(compareLines);
  // What an operator has said to be money of its own is decided with all that is other money.
  const [open = [], pinned = []] = [false, true].map((is) =>
    lines.filter(({ credit }) => (credit?.isPinned === true && !credit.isFirst) === is),
  );
  const links = linkSums(open);
  const linked = new Set(links.flatMap(({ sums }) => sums));
  const single = open.filter((line) => !linked.has(line));
  const partitions = Map.groupBy(single, ({ amount, currency, entry, number }) =>
    amount === null ? (number ?? entry.id) : `${amount} ${currency}`,
  );
  const money = [...partitions.values()].flatMap((alike) => decideAlike(alike, links));
  const sums = links.map((link) => moneyOfSum(link, money));
  const all = [...money, ...sums];
  for (const sum of money) if (sum.lines.every(({ isSum }) => isSum)) takeParts(sum, sum.lines, money);
  for (const line of pinned) {
    const known = all.find(({ credit }) => credit !== undefined && credit.reference === line.credit?.reference);
    known?.lines.push(line);
  }
  holdOverlaps(money);
  holdConflicts(all);
  return all;
}

/** The sum of a link: its transactions stand for it, unless it became an order before. */
function moneyOfSum({ sums, entries }: EntryLink, money: readonly Money[]): Money {
  const sum = moneyOf({ lines: sums }, new Map());
  shareCredits([sum]);
  if (sum.credit?.state === 'spent') {
    putWithin(
      sum,
      money.filter(({ lines }) => lines.some(({ entry }) => entries.has(entry.id))),
    );
    return sum;
  }
  takeParts(sum, sums, money, entries);
  return Object.assign(sum, { left: null });
}

/** Takes the transactions of an entry out of its sum, by the bank's number of the entry. What exceeds the sum waits. */
function takeParts(sum: Money, lines: readonly ReportedLine[], money: readonly Money[], linked: ReadonlySet<string> = new Set()): void {
  const [{ amount }] = lines as [ReportedLine];
  if (amount === null) return;
  const parts = money.filter((part) => part !== sum && part.lines.some((line) => !line.isSum && isPartOf(line, lines)));
  if (sum.credit?.state === 'spent') return putWithin(sum, parts);
  // All of it, where another document lists its transactions in full: they may come to more, by what the bank keeps.
  let taken = linked.size > 0 ? amount : 0n;
  for (const part of parts.toSorted(compareMoney)) {
    if (part.lines.some((line) => linked.has(line.entry.id))) continue;
    const next = taken + (part.best.amount ?? 0n);
    const isOfMore = part.lines.every((line) => !isPartOf(line, lines) || (line.entry.total ?? amount) > amount);
    if (part.credit?.state === 'spent' || (next <= amount && !isOfMore)) taken = next;
    else part.hold ??= { reason: 'details_differ', why: 'the transactions of its entry come to more than the entry', of: undefined };
  }
  if (parts.length > 0 && taken > 0n) sum.left = taken >= amount ? null : minorUnits(amount - taken);
  sum.isExceeded = taken > amount;
  if (sum.isStated) for (const part of parts) Object.assign(part, { isStated: true, statements: [...part.statements, ...sum.statements] });
}

/** The parts of a sum that counts already are in it, and what lists them lists it. */
function putWithin(sum: Money, parts: readonly Money[]): void {
  for (const part of parts) {
    if (part.credit !== undefined) continue;
    part.within = sum;
    sum.isStated ||= part.isStated;
    sum.statements.push(...part.statements);
  }
}

function isPartOf(line: ReportedLine, sums: readonly ReportedLine[]): boolean {
  // A number that comes again on another day may be a new one.
  return sums.some((sum) => isSame(sum.entry.number, line.entry.number) && !areApart(sum, line) && daysBetween(sum, line) === 0);
}
