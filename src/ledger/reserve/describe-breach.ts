import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import type { ComparisonName } from '../../schema/column-types.ts';

/** What each comparison compares. */
export const comparedSides: Record<ComparisonName, string> = {
  states: "the book and the ledger's states",
  index: 'the book and the indexed supply',
  nodes: 'the indexed supply and what the nodes say',
  bank: "the book and the bank's balance",
};

/** What two sides of a comparison differ by, such as `the book and the bank's balance differ by 5.00 eur on assets:bank:IS14`. */
export function describeBreach({
  comparison,
  currency,
  account,
  difference,
}: {
  comparison: ComparisonName;
  currency: string;
  account: string;
  difference: MinorUnits;
}): string {
  const where = account === '' ? '' : ` on ${account}`;
  if (difference === 0n) return `${comparedSides[comparison]} differed${where}, and agree now`;
  return `${comparedSides[comparison]} differ by ${formatAmount(difference)} ${currency}${where}`;
}

/** What an operator does about a breach, as clauses behind a colon. After a restore, what seems to be a difference may be what the ledger has forgotten. */
export function breachRemedy({
  comparison,
  currency,
  difference,
}: {
  comparison: ComparisonName;
  currency: string;
  difference: MinorUnits;
}): string {
  const acknowledge = `\`mintrail reconcile acknowledge ${currency} --comparison ${comparison} --reason TEXT\``;
  if (difference === 0n)
    return `find the cause. If the database was restored from a back-up, first end the recovery (\`mintrail recover\`, docs/restore.md). Once the cause is explained and ended, run ${acknowledge}, without items`;
  return `find the cause (\`mintrail reconcile\`). If the database was restored from a back-up, do not acknowledge anything, or money moves twice: follow docs/restore.md. Otherwise, once the cause is explained and ended, run ${acknowledge}, with an \`--item\` for each part`;
}
