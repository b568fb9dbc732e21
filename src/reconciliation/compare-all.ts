import type { Ledger } from '../ledger/ledger.ts';
import { comparisonNames } from '../ledger/reserve/comparison.ts';
import { listComparisons, type RecordedComparison } from '../ledger/reserve/comparisons.ts';
import type { Chain } from '../platform/chains.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import { compareBookWithBank } from './book-and-bank.ts';
import { compareBookWithIndex } from './book-and-index.ts';
import { compareBookWithStates } from './book-and-states.ts';

/** What could be compared, and the networks whose index could not be. */
interface Comparisons {
  comparisons: RecordedComparison[];
  notReady: Chain[];
}

/**
 * All comparisons of the book. Those that need the database alone are made now; of that with the nodes, the workers have recorded the newest
 * result. A network whose index is not ready keeps no difference of another from being shown.
 */
export async function compareAll(ledger: Ledger, networks: readonly NetworkSettings[], now: Date): Promise<Comparisons> {
  const withIndex = await Promise.all(networks.map((network) => compareBookWithIndex(ledger, network)));
  const made = [
    ...(await compareBookWithStates(ledger)),
    ...withIndex.flatMap((comparisons) => comparisons ?? []),
    ...(await compareBookWithBank(ledger)),
  ];
  const recorded = (await listComparisons(ledger)).filter(({ comparison }) => comparison === 'nodes');
  const all = [...made.map((comparison) => Object.assign(comparison, { comparedAt: now })), ...recorded];
  return {
    comparisons: all.toSorted((a, b) => comparisonNames.indexOf(a.comparison) - comparisonNames.indexOf(b.comparison)),
    notReady: networks.filter((_, index) => withIndex[index] === undefined).map(({ chain }) => chain),
  };
}
