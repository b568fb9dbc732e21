import { minorUnits } from '../../platform/money.ts';
import { areApart, daysBetween, isSame } from './compare-lines.ts';
import type { Money } from './money.ts';
import { compareMoney } from './order.ts';
import type { ReportedLine } from './reported-line.ts';

/** Takes the transactions of an entry out of its sum, by the bank's number of the entry. What exceeds the sum waits. */
export function takeParts(
  sum: Money,
  lines: readonly ReportedLine[],
  money: readonly Money[],
  linked: ReadonlySet<string> = new Set(),
): void {
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
export function putWithin(sum: Money, parts: readonly Money[]): void {
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
