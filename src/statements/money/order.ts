import type { Money } from './money.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';

/** A bank's document and what it says decide, so that the same lines are always looked at in the same order: what names a creditor before what may repeat it. */
export function compareLines(one: ReportedLine, other: ReportedLine): number {
  const keys = [one, other].map(({ document, content, id, iban }) => [
    document.kind === statementKind ? '0' : document.kind,
    iban === null ? '1' : '0',
    content,
    document.name,
    id,
  ]);
  const [first = [], second = []] = keys;
  const index = first.findIndex((key, position) => key !== second[position]);
  return index < 0 ? 0 : (first[index] as string) < (second[index] as string) ? -1 : 1;
}

/** What was issued goes first, then what was recorded, then what a statement lists. */
export function compareMoney(one: Money, other: Money): number {
  return rankOf(one) - rankOf(other) || compareLines(one.best, other.best);
}

function rankOf({ credit, isStated }: Money): number {
  if (credit !== undefined) return credit.state === 'spent' ? 0 : 1;
  return isStated ? 2 : 3;
}
