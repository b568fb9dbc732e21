import { breachRemedy, describeBreach } from '../../ledger/reserve/describe-breach.ts';
import { type AcknowledgedBreach, acknowledgedSums, type Breach } from '../../ledger/reserve/breaches.ts';
import { type ComparisonItem, subjectKey, sumOf } from '../../ledger/reserve/comparison.ts';
import type { RecordedComparison } from '../../ledger/reserve/comparisons.ts';
import { formatAmount } from '../../platform/money.ts';
import { formatDuration, formatTime, renderTable } from '../output.ts';

/** The comparisons of the reserve, those that differ first and then what was acknowledged, then the items that explain them and what was acknowledged. */
export function renderComparisons(
  comparisons: readonly RecordedComparison[],
  acknowledged: readonly AcknowledgedBreach[],
  now: Date,
): string[] {
  if (comparisons.length === 0) return [];
  const sums = acknowledgedSums(acknowledged);
  const verdict = (result: RecordedComparison) => verdictOf(result, sums.get(subjectKey(result)) ?? 0n);
  const rows = comparisons
    .toSorted((a, b) => verdicts.indexOf(verdict(a)) - verdicts.indexOf(verdict(b)))
    .map((result) => [
      result.comparison,
      result.currency,
      result.account || 'trial balance',
      formatAmount(result.expected),
      formatAmount(result.actual),
      formatAmount(sumOf(result.items)),
      formatAmount(result.difference),
      verdict(result),
      ageOf(result.comparedAt, now),
    ]);
  const head = ['comparison', 'currency', 'account', 'expected', 'actual', 'explained', 'difference', 'verdict', 'compared'];
  const explained = comparisons.flatMap((result) => result.items.map((item) => `${nameOf(result)}: ${itemText(item)}`));
  const known = acknowledged.flatMap((breach) => [
    `${nameOf(breach)}: acknowledged by ${breach.acknowledgedBy} at ${formatTime(breach.acknowledgedAt)}: ${breach.reason}`,
    ...breach.items.map((item) => `  ${itemText(item)}`),
  ]);
  return [
    renderTable(head, rows),
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

/** What nobody has looked at comes first. */
const verdicts = ['DIFFERS', 'acknowledged', 'holds'] as const;

function verdictOf({ difference }: RecordedComparison, acknowledged: bigint): (typeof verdicts)[number] {
  if (difference === 0n) return 'holds';
  return difference === acknowledged ? 'acknowledged' : 'DIFFERS';
}

function ageOf(comparedAt: Date, now: Date): string {
  const seconds = (now.getTime() - comparedAt.getTime()) / 1000;
  return seconds < 1 ? 'now' : `${formatDuration(seconds)} ago`;
}

function nameOf({ comparison, currency, account }: Pick<Breach, 'comparison' | 'currency' | 'account'>): string {
  return [comparison, currency, account].filter((part) => part !== '').join(' ');
}

function itemText({ text, amount }: ComparisonItem): string {
  return `${formatAmount(amount)} ${text}`;
}
