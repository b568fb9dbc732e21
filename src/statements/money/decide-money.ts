import { minorUnits } from '../../platform/money.ts';
import { areApart, compareTexts, relationOf } from './compare-lines.ts';
import { decideAlike, type LinkOf } from './decide-alike.ts';
import { putPaymentsWithin } from './explained-payments.ts';
import { groupByAmount, haveOneAmount } from './charged-amounts.ts';
import { holdConflicts, holdOverlaps } from './hold-conflicts.ts';
import { compareLines, compareMoney, type IsRead, type Money, moneyOf } from './money.ts';
import { type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';
import { shareCredits } from './share-credits.ts';
import { type EntryLink, isPartOf, linkSums, withWholeEntries } from './sums.ts';

/**
 * Decides what money the lines of an account are, all of which arrived or all of which left. What comes out depends on the lines and on the credits that were made of them, and never on the order in which
 * they came: a further line adds money or says more of it. What is not read in full (`isRead`) is only compared with. The rules are those of docs/bank-files.md (Which money is it?).
 */
export function decideMoney(reported: readonly ReportedLine[], isRead: IsRead = () => true): Money[] {
  const lines = withWholeEntries(reported).toSorted(compareLines);
  // What an operator has said to be money of its own is decided with all that is other money, and what repeats it with it.
  const pinned = lines.filter(isPinnedTo);
  const pinnedAt = Map.groupBy(pinned, amountOf);
  const restated = new Map(
    lines.flatMap((line) => {
      const known = pinnedAt.get(amountOf(line))?.findLast((other) => isStatedAgain(line, other));
      return known === undefined ? [] : [[line, known] as const];
    }),
  );
  const open = lines.filter((line) => !isPinnedTo(line) && !restated.has(line));
  const links = linkSums(open);
  const linked = new Set(links.flatMap(({ sums }) => sums));
  const linkOf = new Map(links.flatMap((link) => [...link.entries].map((entry) => [entry, link] as const)));
  const single = open.filter((line) => !linked.has(line));
  const unread = Map.groupBy(
    single.filter(({ amount }) => amount === null),
    ({ entry, number, reference, isDebit }) => number ?? (isDebit ? reference : entry.id),
  );
  const partitions = [
    ...unread.values(),
    ...groupByAmount(
      single.filter(({ amount }) => amount !== null),
      (line) => line,
    ),
  ];
  const money = partitions.flatMap((alike) => decideAlike(alike, linkOf, isRead));
  const sums = links.map((link) => moneyOfSum(link, money, linkOf));
  const all = [...money, ...sums];
  const unlinked = money.filter(({ lines }) => !lines.some(({ entry }) => linkOf.has(entry.id)));
  for (const sum of money) if (sum.lines.every(({ isSum }) => isSum)) takeParts(sum, sum.lines, unlinked);
  for (const [line, { credit: said }] of [...pinned.map((line) => [line, line] as const), ...restated]) {
    const known = all.find(({ credit }) => credit !== undefined && credit.reference === said?.reference);
    known?.lines.push(line);
    // Over an amount before or after charges it is what a statement lists of this money.
    if (known?.isStated === false && line.document.kind === statementKind && haveOneAmount(line, known.best))
      Object.assign(known, { amount: line.amount, isStated: true, statements: [line] });
  }
  putPaymentsWithin(all);
  holdOverlaps(money);
  holdConflicts(all);
  return all;
}

function amountOf({ amount, currency }: ReportedLine): string {
  return `${amount} ${currency}`;
}

/** Whether an operator has said which money a line is, of which that was not made. */
function isPinnedTo({ credit }: ReportedLine): boolean {
  return credit?.isPinned === true && !credit.isFirst;
}

/** Whether a statement lists again what an operator has said another to be. */
function isStatedAgain(line: ReportedLine, pinned: ReportedLine): boolean {
  const areStated = line.document.kind === statementKind && pinned.document.kind === statementKind;
  return areStated && line.credit?.isFirst !== true && !isPinnedTo(line) && relationOf(line, pinned) === 'same';
}

/** The sum of a link: its transactions stand for it, unless it became an order before. */
function moneyOfSum(link: EntryLink, money: readonly Money[], linkOf: LinkOf): Money {
  const { sums, entries } = link;
  const sum = moneyOf({ lines: sums }, new Map());
  shareCredits([sum], () => true);
  if (sum.credit?.state === 'spent') {
    const parts = money.filter(({ lines }) => lines.some(({ entry }) => entries.has(entry.id)));
    putWithin(sum, parts);
    const listed = parts
      .flatMap(({ lines }) => lines)
      .filter(({ entry, document }) => entries.has(entry.id) && document.kind === statementKind);
    // What a statement lists as transactions is booked as what they come to.
    if (!link.isStated && listed.length > 0)
      sum.amount = minorUnits(
        listed.reduce((all, { amount, entry }) => all + (entry.id === listed[0]?.entry.id ? (amount ?? 0n) : 0n), 0n),
      );
    return sum;
  }
  const isOfAnother = ({ entry }: ReportedLine) => (linkOf.get(entry.id) ?? link) !== link;
  takeParts(
    sum,
    sums,
    money.filter(({ lines }) => !lines.some(isOfAnother)),
    entries,
  );
  // What a statement books less than the transactions come to is what the bank keeps, and what it books more is not theirs.
  if (link.kept < 0n) return Object.assign(sum, { left: minorUnits(0n - link.kept) });
  const [part] = money.filter(({ lines }) => lines.some(({ entry }) => entries.has(entry.id))).toSorted(compareReferences);
  if (part !== undefined) part.kept = minorUnits(part.kept + link.kept);
  return Object.assign(sum, { left: null });
}

/** An order of money that stays the same once its credits are recorded. */
function compareReferences(...pair: [Money, Money]): number {
  const [one, other] = pair.map(({ credit, best }) => credit?.reference ?? best.reference) as [string, string];
  return compareTexts(one, other);
}

/** Takes the transactions of an entry out of its sum, by the bank's number of the entry. What exceeds the sum waits. */
function takeParts(sum: Money, lines: readonly ReportedLine[], money: readonly Money[], linked: ReadonlySet<string> = new Set()): void {
  const { amount } = sum;
  if (amount === null) return;
  // What lists its transactions in full lists the others of its number as other money.
  const complete = new Set(
    money.flatMap((known) => known.lines.flatMap(({ entry, document }) => (linked.has(entry.id) ? document.id : []))),
  );
  const isPart = (line: ReportedLine) =>
    !line.isSum && !(complete.has(line.document.id) && !linked.has(line.entry.id)) && isPartOf(line, lines);
  const parts = money.filter((part) => part !== sum && part.lines.some(isPart) && !isStatedApart(part, lines, linked));
  if (sum.credit?.state === 'spent') return putWithin(sum, parts);
  // All of it, where another document lists its transactions in full: they may come to more, by what the bank keeps.
  let taken = linked.size > 0 ? amount : 0n;
  const within = new Set(parts);
  for (const part of parts.toSorted(compareMoney)) {
    if (part.lines.some((line) => linked.has(line.entry.id))) continue;
    // As its own entry gives it: a statement may list it after charges.
    const next = taken + (part.lines.find(isPart)?.amount ?? 0n);
    const isOfMore = part.lines.every((line) => !isPartOf(line, lines) || (line.entry.total ?? amount) > amount);
    if (part.credit?.state === 'spent' || (next <= amount && !isOfMore)) taken = next;
    else {
      part.hold ??= { reason: 'details_differ', why: 'the transactions of its entry come to more than the entry' };
      within.delete(part);
    }
  }
  if (parts.length > 0 && taken > 0n) sum.left = taken >= amount ? null : minorUnits(amount - taken);
  sum.isExceeded = taken > amount;
  if (sum.isStated) for (const part of within) Object.assign(part, { isStated: true, statements: [...part.statements, ...sum.statements] });
}

/** The parts of a sum that counts already are in it, and what lists them lists it. */
function putWithin(sum: Money, parts: readonly Money[]): void {
  for (const part of parts) {
    // A debit may have waited as a second booking of what the sum is.
    if (part.credit !== undefined && !(part.best.isDebit && part.credit.state === 'open')) continue;
    part.within = sum;
    sum.isStated ||= part.isStated;
    sum.statements.push(...part.statements);
  }
}

/** Whether a statement lists money as an entry of its own, beside sums of its number or, where their transactions are known, besides those. */
function isStatedApart({ lines }: Money, sums: readonly ReportedLine[], linked: ReadonlySet<string>): boolean {
  const isApart = ({ entry }: ReportedLine) => linked.size > 0 && entry.isComplete && !linked.has(entry.id);
  return lines.some(
    (line) => !line.isSum && line.document.kind === statementKind && (isApart(line) || sums.every((sum) => areApart(line, sum))),
  );
}
