import { listTokenOpenings } from '../../ledger/lanes/token-openings.ts';
import { acknowledgedBreaches, openBreaches } from '../../ledger/reserve/breaches.ts';
import type { Chain } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import { compareAll } from '../../reconciliation/compare-all.ts';
import { readReserve } from '../../reconciliation/reserve.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';
import { renderBreaches, renderComparisons } from './comparisons.ts';
import { openingJson, renderOpenings } from './openings.ts';
import { reconciliationJson } from './reconciliation-json.ts';
import { renderReserves } from './reserves.ts';

/** `mintrail reconcile`. Throws `indexer_not_ready` after it has shown what could be compared, where that holds. */
export async function reconcile(json: boolean): Promise<void> {
  const now = new Date();
  const state = await withLedger(async (ledger) => ({
    ...(await compareAll(ledger, Object.values(cliSettings().networks), now)),
    reserves: await readReserve(ledger),
    breaches: await openBreaches(ledger),
    acknowledged: await acknowledgedBreaches(ledger),
    openings: await listTokenOpenings(ledger),
  }));
  const { comparisons, notReady, reserves, breaches, acknowledged, openings } = state;
  const differs = breaches.length > 0 || comparisons.some(({ difference }) => difference !== 0n);
  if (json) print(renderJson({ ...reconciliationJson(state), openings: openings.map(openingJson), notReady }));
  else {
    // What stops issuing first.
    const sections = [
      ...renderBreaches(breaches),
      ...renderComparisons(comparisons, acknowledged),
      ...(reserves.length > 0 ? [renderReserves(reserves)] : []),
      ...renderOpenings(openings),
      ...(differs && notReady.length > 0 ? [notReadyError(notReady).message] : []),
    ];
    print(sections.length > 0 ? sections.join('\n\n') : 'Nothing has been booked yet.');
  }
  if (differs) process.exitCode = exitCodes.failed;
  else if (notReady.length > 0) throw notReadyError(notReady);
}

/** The error `indexer_not_ready`. */
export function notReadyError(chains: readonly Chain[]): RetryError {
  return new RetryError({
    code: 'indexer_not_ready',
    message: `The book is not compared with the index of ${chains.join(', ')}, whose newest rows may be missing: try again in a moment, or see \`mintrail status\``,
  });
}
