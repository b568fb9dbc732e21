import { compareTexts } from './compare-lines.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { LineGroup } from './match-groups.ts';
import { type CreditOfLine, type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';
import type { EntryLink } from './sums.ts';

/** Why money waits for an operator although its lines can be read: codes that are kept with the credit. */
export const holdReasons = ['suspected_repeat', 'reference_conflict', 'details_differ'] as const;

/** Why money waits, and the money that it may be. */
export interface Hold {
  reason: (typeof holdReasons)[number];
  /** A clause for an operator. */
  why: string;
  of?: Money | undefined;
}

/** Whether all that is reported over the amount of a line near its day is known. */
export type IsRead = (line: ReportedLine) => boolean;

/** One money that arrived, and all that the bank says of it. */
export interface Money extends LineGroup {
  /** The line that says most, of which its credit has the facts. */
  best: ReportedLine;
  /** What was booked of it: what a statement lists, else what its best line says. */
  amount: MinorUnits | null;
  /** The credit that it has already. */
  credit?: CreditOfLine | undefined;
  /** Further credits of its lines, which wait: they are this money. */
  others: CreditOfLine[];
  /** Further credits that were issued for its lines: the bank has booked it once. */
  surplus: CreditOfLine[];
  /** Whether a statement lists it. */
  isStated: boolean;
  /** The statements that list it, by a line or by the sum that its lines stand for. */
  statements: ReportedLine[];
  hold?: Hold | undefined;
  /** Of a sum: what is left of it beside its transactions, in minor units; null for nothing, undefined for one whose transactions are not known. */
  left?: MinorUnits | null | undefined;
  /** What the statement lists less than it and the other transactions of its entry come to, in minor units: the bank has kept it. */
  kept: MinorUnits;
  /** Of a sum: whether its transactions come to more, and were issued. */
  isExceeded: boolean;
  /** The money in which it is contained: a sum that became an order before its transactions were known. */
  within?: Money | undefined;
}

/** The money of lines, which has no credit yet. `linkOf` has the sums of entries. */
export function moneyOf({ lines }: LineGroup, linkOf: ReadonlyMap<string, EntryLink>): Money {
  const sums = lines.flatMap(({ entry }) => linkOf.get(entry.id)?.sums ?? []);
  const statements = [...lines, ...sums].filter(({ document }) => document.kind === statementKind);
  const best = bestOf(lines);
  const { amount } = lines.find(({ document }) => document.kind === statementKind) ?? best;
  return {
    lines,
    best,
    amount,
    others: [],
    surplus: [],
    isStated: statements.length > 0,
    statements,
    kept: minorUnits(0n),
    isExceeded: false,
  };
}

/** The clearest line: of a payment of ours that came back, else without a doubt, with a creditor, of the statement. The lines are in their order. */
function bestOf(lines: readonly ReportedLine[]): ReportedLine {
  return lines.reduce((best, line) => (doubtsOf(line) < doubtsOf(best) ? line : best));
}

/** How little a line says of whose the money is. */
export function doubtsOf({ isDoubtful, iban, isSum, isReturn }: ReportedLine): number {
  if (isReturn) return -1;
  return (isDoubtful ? 4 : 0) + (iban === null ? 2 : 0) + (isSum ? 1 : 0);
}

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
  return first.map((key, position) => compareTexts(key, second[position] as string)).find((order) => order !== 0) ?? 0;
}

/** What was issued goes first, then what was recorded, then what a statement lists. */
export function compareMoney(one: Money, other: Money): number {
  return rankOf(one) - rankOf(other) || compareLines(one.best, other.best);
}

function rankOf({ credit, isStated }: Money): number {
  if (credit !== undefined) return credit.state === 'spent' ? 0 : 1;
  return isStated ? 2 : 3;
}
