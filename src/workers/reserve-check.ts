import { Gauge, type Registry } from 'prom-client';
import type { Ledger } from '../ledger/ledger.ts';
import { acknowledgedDifferences, recordBreach } from '../ledger/bank/reserve-breaches.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import { type Currency, formatAmount, type MinorUnits } from '../platform/money.ts';
import type { Settings } from '../platform/settings.ts';
import { readReserve } from '../reconciliation/reserve.ts';

/** What the reserve check needs. */
export interface ReserveCheckDeps {
  settings: Settings;
  ledger: Ledger;
  log: Log;
  registry: Registry;
}

/** Between two checks. */
const intervalMs = 5_000;

/**
 * Checks in a row that must find the same difference before issuing stops. A reorganisation whose old blocks Ponder has removed and
 * whose new ones it has not read yet looks like a breach for a moment.
 */
const checksInARow = 3;

/** Checks the reserve equation continuously. A currency for which it does not hold is not issued until an operator acknowledges the breach. */
export function startReserveCheck({ settings, ledger, log, registry }: ReserveCheckDeps): Loop {
  const gauge = new Gauge({
    name: 'mintrail_reserve_difference',
    help: 'Minor units in circulation beyond the money held',
    labelNames: ['currency'],
    registers: [registry],
  });
  const suspicions = new Map<Currency, { difference: MinorUnits; checks: number }>();
  const turn = async () => {
    const reserves = await readReserve(ledger, settings);
    const acknowledged = await acknowledgedDifferences(ledger);
    for (const { currency, difference } of reserves ?? []) {
      gauge.set({ currency }, Number(difference));
      if (difference === (acknowledged.get(currency) ?? 0n) || difference === 0n) {
        suspicions.delete(currency);
        continue;
      }
      const before = suspicions.get(currency);
      const checks = before?.difference === difference ? before.checks + 1 : 1;
      suspicions.set(currency, { difference, checks });
      if (checks < checksInARow || !(await recordBreach(ledger, currency, difference))) continue;
      log.fatal(
        { currency, difference: formatAmount(difference) },
        'tokens in circulation and money held differ: this currency is not issued until an operator acknowledges it (mintrail reconcile)',
      );
    }
  };
  return startLoop({ name: 'reserve check', intervalMs, log, turn });
}
