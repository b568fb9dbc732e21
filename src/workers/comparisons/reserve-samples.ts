import { recordReserveSamples } from '../../ledger/reserve/samples.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { totalOf } from '../../platform/money.ts';
import { readReserve } from '../../reconciliation/reserve.ts';

/** Between two samples: what the console's charts show of an hour. */
const intervalMs = 60_000;

/** Keeps what the reserve was over time, for the charts of the console. Any number of workers may do it. */
export function startReserveSamples({ ledger, log }: { ledger: Ledger; log: Log }): Loop {
  return startLoop({
    name: 'reserve samples',
    intervalMs,
    log,
    async turn() {
      const reserves = await readReserve(ledger);
      if (reserves.length === 0) return;
      await recordReserveSamples(
        ledger,
        reserves.map(({ currency, bank, circulation, underWay }) => ({
          currency,
          circulation,
          bank: totalOf(Object.values(bank)),
          underWay: totalOf(Object.values(underWay)),
        })),
      );
    },
  });
}
