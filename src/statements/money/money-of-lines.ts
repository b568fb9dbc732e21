import type { LineGroup } from './match-groups.ts';
import type { Money } from './money.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';
import type { EntryLink } from './sums.ts';

/** The money of lines, which has no credit yet. `linkOf` has the sums of entries. */
export function moneyOf({ lines }: LineGroup, linkOf: ReadonlyMap<string, EntryLink>): Money {
  const sums = lines.flatMap(({ entry }) => linkOf.get(entry.id)?.sums ?? []);
  const statements = [...lines, ...sums].filter(({ document }) => document.kind === statementKind);
  return {
    lines,
    best: bestOf(lines),
    credit: undefined,
    others: [],
    surplus: [],
    isStated: statements.length > 0,
    statements,
    hold: undefined,
    left: undefined,
    isExceeded: false,
    within: undefined,
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
