import { listTokenOpenings } from '../../ledger/lanes/token-openings.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { acknowledgedBreaches, openBreaches } from '../../ledger/reserve/breaches.ts';
import { comparisonNames } from '../../ledger/reserve/comparison.ts';
import { listComparisons, type RecordedComparison } from '../../ledger/reserve/comparisons.ts';
import type { Chain } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import { compareBookWithBank } from '../../reconciliation/book-and-bank.ts';
import { compareBookWithIndex } from '../../reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../reconciliation/book-and-states.ts';
import { readReserve } from '../../reconciliation/reserve.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';
import { renderBreaches, renderComparisons } from './comparisons.ts';
import { renderOpenings } from './openings.ts';
import { renderReserves } from './reserves.ts';

/** `mintrail reconcile`. Throws `indexer_not_ready` after it has shown what could be compared, where that holds. */
export async function reconcile(json: boolean): Promise<void> {
  const now = new Date();
  const state = await withLedger(async (ledger) => ({
    ...(await compareAll(ledger, now)),
    reserves: await readReserve(ledger),
    breaches: await openBreaches(ledger),
    acknowledged: await acknowledgedBreaches(ledger),
    openings: await listTokenOpenings(ledger),
  }));
  const { comparisons, notReady, reserves, breaches, acknowledged, openings } = state;
  const differs = breaches.length > 0 || comparisons.some(({ difference }) => difference !== 0n);
  if (json) print(renderJson(state));
  else {
    // What stops issuing first.
    const sections = [
      ...renderBreaches(breaches),
      ...renderComparisons(comparisons, acknowledged, now),
      ...(reserves.length > 0 ? [renderReserves(reserves)] : []),
      ...renderOpenings(openings),
      ...(differs && notReady.length > 0 ? [notReadyError(notReady).message] : []),
    ];
    print(sections.length > 0 ? sections.join('\n\n') : 'Nothing has been booked yet.');
  }
  if (differs) process.exitCode = exitCodes.failed;
  else if (notReady.length > 0) throw notReadyError(notReady);
}

/** What could be compared, and the networks whose index could not be. */
interface Comparisons {
  comparisons: RecordedComparison[];
  notReady: Chain[];
}

/**
 * All comparisons of the book. Those that need the database alone are made now; of that with the nodes, the workers have recorded the newest
 * result. A network whose index is not ready keeps no difference of another from being shown.
 */
export async function compareAll(ledger: Ledger, now: Date): Promise<Comparisons> {
  const networks = Object.values(cliSettings().networks);
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

/** The error `indexer_not_ready`. */
export function notReadyError(chains: readonly Chain[]): RetryError {
  return new RetryError({
    code: 'indexer_not_ready',
    message: `The book is not compared with the index of ${chains.join(', ')}, whose newest rows may be missing: try again in a moment, or see \`mintrail status\``,
  });
}
