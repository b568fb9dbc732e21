import { userInfo } from 'node:os';
import { acknowledgeBreach, openBreaches } from '../../ledger/bank/reserve-breaches.ts';
import { listTokenOpenings } from '../../ledger/lanes/token-openings.ts';
import { chainsOf } from '../../platform/chains.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { type Currency, formatAmount, minorUnits } from '../../platform/money.ts';
import { readReserve, type Reserve } from '../../reconciliation/reserve.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { renderOpenings } from './openings.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail reconcile`. Throws `indexer_not_ready`. */
export async function reconcile(json: boolean): Promise<void> {
  const { reserves, breaches, openings } = await withLedger(async (ledger) => {
    const reserves = await readReserve(ledger, cliSettings());
    if (!reserves)
      throw new RetryError({
        code: 'indexer_not_ready',
        message: 'An indexer is not ready, so its newest rows may be missing: try again in a moment',
      });
    return { reserves, breaches: await openBreaches(ledger), openings: await listTokenOpenings(ledger) };
  });
  print(json ? renderJson({ reserves, breaches, openings }) : [render(reserves), ...renderOpenings(openings)].join('\n\n'));
  for (const { currency, difference } of json ? [] : breaches)
    print(
      `\n${currency} is not issued since a difference of ${formatAmount(difference)} was found. Investigate it, then run mintrail reconcile acknowledge ${currency}`,
    );
  if (breaches.length > 0 || reserves.some(({ difference }) => difference !== 0n)) process.exitCode = exitCodes.failed;
}

/** `mintrail reconcile acknowledge`. Throws `unknown_breach`. */
export async function acknowledge(currency: Currency): Promise<void> {
  const isAcknowledged = await withLedger((ledger) => acknowledgeBreach(ledger, currency, userInfo().username));
  if (!isAcknowledged)
    throw new StopError({
      code: 'unknown_breach',
      message: `There is no open breach of ${currency}: mintrail reconcile shows open breaches`,
    });
  print(`${currency} is issued again.`);
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
