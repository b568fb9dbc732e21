import type { Registry } from 'prom-client';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { readReserve } from '../../reconciliation/reserve.ts';

/** Between two readings: each costs what was booked since the last roll-forward, and a board shows no more than that. */
const intervalMs = 15_000;

/** Serves the reserve of each currency by the book, whose parts add up to what is held. */
export function startReserveMetrics({ ledger, log, registry }: { ledger: Ledger; log: Log; registry: Registry }): Loop {
  const reserveAmount = registeredGauge(registry, 'mintrail_reserve_amount');
  const circulationAmount = registeredGauge(registry, 'mintrail_circulation_amount');
  const turn = async () => {
    for (const { currency, bank, circulation, underWay, openings, operator, claims, differences } of await readReserve(ledger)) {
      const other = openings + operator - claims - differences;
      const parts = {
        held: sum(Object.values(bank)),
        circulation: sum(Object.values(circulation)),
        under_way: sum(Object.values(underWay)),
        other,
      };
      for (const [part, amount] of Object.entries(parts)) reserveAmount.set({ currency, part }, wholeUnits(amount));
      for (const [chain, amount] of Object.entries(circulation)) circulationAmount.set({ currency, chain }, wholeUnits(amount));
    }
  };
  return startLoop({ name: 'reserve metrics', intervalMs, log, turn });
}

function sum(amounts: MinorUnits[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Metrics are numbers for boards; beyond 2^53 they lose cents. */
function wholeUnits(amount: bigint): number {
  return Number(amount) / 100;
}
