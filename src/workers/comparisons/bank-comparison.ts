import type { Loop } from '../../platform/loop.ts';
import { compareBookWithBank } from '../../reconciliation/book-and-bank.ts';
import { type ComparisonDeps, startComparison } from './comparison-loop.ts';

/** Between two comparisons: a statement comes once a day, and one query reads it. */
const intervalMs = 5_000;

/** Starts the comparison of the book with the closing balances of the bank's statements. */
export function startBankComparison(deps: ComparisonDeps): Loop {
  return startComparison({ ...deps, comparison: 'bank', intervalMs, compare: () => compareBookWithBank(deps.ledger) });
}
