import type { Loop } from '../platform/loop.ts';
import { minorUnits } from '../platform/money.ts';
import type { Settings } from '../platform/settings.ts';
import { compareAmounts } from '../ledger/reserve/comparison.ts';
import { readReserve } from '../reconciliation/reserve.ts';
import { type ComparisonDeps, startComparison } from './comparisons/comparison-loop.ts';

/** Between two checks. */
const intervalMs = 5_000;

/** Checks the reserve equation continuously. A currency for which it does not hold is not issued until an operator acknowledges the breach. */
export function startReserveCheck({ settings, ...deps }: ComparisonDeps & { settings: Settings }): Loop {
  const compare = async () =>
    ((await readReserve(deps.ledger, settings)) ?? []).map(({ currency, received, paidOut, returned, difference }) => {
      const expected = minorUnits(received - paidOut - returned);
      const subject = { comparison: 'index', currency, account: '', chain: '' } as const;
      return compareAmounts(subject, { expected, actual: minorUnits(expected + difference), items: [] });
    });
  return startComparison({ ...deps, comparison: 'index', intervalMs, compare });
}
