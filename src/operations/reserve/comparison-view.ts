import { z } from 'zod';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { type AcknowledgedBreach, acknowledgedBreaches, acknowledgedSums } from '../../ledger/reserve/breaches.ts';
import { type ComparisonItem, subjectKey, sumOf } from '../../ledger/reserve/comparison.ts';
import { listComparisons, type RecordedComparison } from '../../ledger/reserve/comparisons.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineView } from '../view.ts';

/** The book beside what it is not derived from. The command makes the comparisons anew that the database alone can. */
export const comparisons = defineView({
  name: 'reserve.comparisons',
  summary: 'compare the book with its states, the index, the nodes and the bank, as of now',
  command: 'reconcile',
  roles: operatorRoles,
  input: z.object({}),
  async read(ledger) {
    return comparisonRows(await listComparisons(ledger), await acknowledgedBreaches(ledger));
  },
  columns: {
    comparison: ({ comparison }) => comparison,
    currency: ({ currency }) => currency,
    account: ({ account }) => account || 'trial balance',
    expected: ({ expected }) => expected,
    actual: ({ actual }) => actual,
    explained: ({ explained }) => explained,
    difference: ({ difference }) => difference,
    verdict: ({ verdict }) => (verdict === 'differs' ? 'DIFFERS' : verdict),
    compared: ({ comparedAt }) => comparedAt,
  },
  empty: 'Nothing has been booked yet.',
});

/** Results of comparisons as both doors have them: what nobody has looked at comes first, what holds last. */
export function comparisonRows(results: readonly RecordedComparison[], acknowledged: readonly AcknowledgedBreach[]) {
  const sums = acknowledgedSums(acknowledged);
  const rows = results.map((result) => comparisonRow(result, sums.get(subjectKey(result)) ?? 0n));
  return rows.toSorted((a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict));
}

const verdicts = ['differs', 'acknowledged', 'holds'] as const;

function comparisonRow({ expected, actual, items, difference, ...subject }: RecordedComparison, acknowledged: bigint) {
  const verdict: (typeof verdicts)[number] = difference === 0n ? 'holds' : difference === acknowledged ? 'acknowledged' : 'differs';
  return {
    ...subject,
    expected: formatAmount(expected),
    actual: formatAmount(actual),
    explained: formatAmount(sumOf(items)),
    items: items.map(itemRow),
    difference: formatAmount(difference),
    verdict,
  };
}

/** What explains a part of a difference, as both doors have it. */
export function itemRow({ text, amount }: ComparisonItem) {
  return { text, amount: formatAmount(amount) };
}
