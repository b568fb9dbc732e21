import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import type { ComparisonName } from '../tables/book.ts';

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
