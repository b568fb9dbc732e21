import { listTokenOpenings } from '../../ledger/lanes/token-openings.ts';
import { openBreaches } from '../../ledger/reserve/breaches.ts';
import { listComparisons } from '../../ledger/reserve/comparisons.ts';
import { chainsOf } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import { formatAmount, minorUnits } from '../../platform/money.ts';
import { readReserve, type Reserve } from '../../reconciliation/reserve.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { renderOpenings } from './openings.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail reconcile`. Throws `indexer_not_ready`. */
export async function reconcile(json: boolean): Promise<void> {
  const { reserves, breaches, openings, comparisons } = await withLedger(async (ledger) => {
    const reserves = await readReserve(ledger, cliSettings());
    if (!reserves)
      throw new RetryError({
        code: 'indexer_not_ready',
        message: 'An indexer is not ready, so its newest rows may be missing: try again in a moment',
      });
    return {
      reserves,
      breaches: await openBreaches(ledger),
      openings: await listTokenOpenings(ledger),
      comparisons: await listComparisons(ledger),
    };
  });
  print(json ? renderJson({ reserves, breaches, openings, comparisons }) : [render(reserves), ...renderOpenings(openings)].join('\n\n'));
  for (const { comparison, currency, difference } of json ? [] : breaches)
    print(
      `\n${currency} is not issued since a difference of ${formatAmount(difference)} was found. Investigate it, then run mintrail reconcile acknowledge ${currency} --comparison ${comparison} with a reason and items`,
    );
  if (breaches.length > 0 || reserves.some(({ difference }) => difference !== 0n)) process.exitCode = exitCodes.failed;
}

function render(reserves: Reserve[]): string {
  const networks = [...new Set(reserves.flatMap(({ circulation }) => chainsOf(circulation)))];
  const hasOpening = reserves.some(({ opening }) => opening !== 0n);
  return renderTable(
    [
      'currency',
      ...networks.map((chain) => `on ${chain}`),
      ...(hasOpening ? ['opening'] : []),
      'under way',
      'received',
      'paid out',
      'returned',
      'difference',
    ],
    reserves.map((reserve) => [
      reserve.currency,
      ...networks.map((chain) => formatAmount(reserve.circulation[chain] ?? minorUnits(0n))),
      ...(hasOpening ? [formatAmount(reserve.opening)] : []),
      ...[reserve.underWay, reserve.received, reserve.paidOut, reserve.returned, reserve.difference].map(formatAmount),
    ]),
  );
}
