import { breachRemedy, describeBreach } from '../../ledger/reserve/describe-breach.ts';
import type { AcknowledgedBreach, Breach } from '../../ledger/reserve/breaches.ts';
import type { ComparisonItem } from '../../ledger/reserve/comparison.ts';
import type { RecordedComparison } from '../../ledger/reserve/comparisons.ts';
import { formatAmount } from '../../platform/money.ts';
import { comparisonRows, comparisons as view } from '../../operations/reserve/comparison-view.ts';
import { formatTime } from '../output.ts';
import { renderViewTable } from '../views/add-view.ts';

/** The comparisons of the reserve, those that differ first and then what was acknowledged, then the items that explain them and what was acknowledged. */
export function renderComparisons(comparisons: readonly RecordedComparison[], acknowledged: readonly AcknowledgedBreach[]): string[] {
  if (comparisons.length === 0) return [];
  const explained = comparisons.flatMap((result) => result.items.map((item) => `${nameOf(result)}: ${itemText(item)}`));
  const known = acknowledged.flatMap((breach) => [
    `${nameOf(breach)}: acknowledged by ${breach.acknowledgedBy} at ${formatTime(breach.acknowledgedAt)}: ${breach.reason}`,
    ...breach.items.map((item) => `  ${itemText(item)}`),
  ]);
  return [
    renderViewTable(view, comparisonRows(comparisons, acknowledged)),
    ...(explained.length > 0 ? [explained.join('\n')] : []),
    ...(known.length > 0 ? [known.join('\n')] : []),
  ];
}

/** A line for each breach that nobody has acknowledged, with the remedy. */
export function renderBreaches(breaches: readonly Breach[]): string[] {
  return breaches.map(
    (breach) =>
      `${breach.currency} is not issued since ${formatTime(breach.foundAt)}, because ${describeBreach(breach)}: ${breachRemedy(breach)}`,
  );
}

function nameOf({ comparison, currency, account }: Pick<Breach, 'comparison' | 'currency' | 'account'>): string {
  return [comparison, currency, account].filter((part) => part !== '').join(' ');
}

function itemText({ text, amount }: ComparisonItem): string {
  return `${formatAmount(amount)} ${text}`;
}
