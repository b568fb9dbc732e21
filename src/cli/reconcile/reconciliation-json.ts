import type { AcknowledgedBreach, Breach } from '../../ledger/reserve/breaches.ts';
import type { RecordedComparison } from '../../ledger/reserve/comparisons.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { comparisonRows, itemRow } from '../../operations/reserve/comparison-view.ts';
import type { Reserve } from '../../reconciliation/reserve.ts';

/** Comparisons, reserves and breaches for programs: the comparisons are the rows that the console has. */
export function reconciliationJson(state: {
  comparisons: readonly RecordedComparison[];
  reserves: readonly Reserve[];
  breaches: readonly Breach[];
  acknowledged: readonly AcknowledgedBreach[];
}) {
  return {
    comparisons: comparisonRows(state.comparisons, state.acknowledged),
    reserves: state.reserves.map(reserveJson),
    breaches: state.breaches.map(breachJson),
    acknowledged: state.acknowledged.map((breach) => ({ ...breachJson(breach), items: breach.items.map(itemRow) })),
  };
}

function breachJson<Shown extends Breach>(breach: Shown): Omit<Shown, 'difference' | 'items'> & { difference: string } {
  return { ...breach, difference: formatAmount(breach.difference) };
}

function reserveJson({ currency, bank, circulation, underWay, openings, operator, claims, differences }: Reserve) {
  return {
    currency,
    bank: amountsJson(bank),
    circulation: amountsJson(circulation),
    underWay: amountsJson(underWay),
    ...amountsJson({ openings, operator, claims, differences }),
  };
}

function amountsJson(amounts: Readonly<Partial<Record<string, MinorUnits>>>): Record<string, string> {
  const known = Object.entries(amounts).filter((entry): entry is [string, MinorUnits] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([name, amount]) => [name, formatAmount(amount)]));
}
