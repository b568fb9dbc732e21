import { rollForward } from '../ledger/book/roll-forward.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';

/** Between two turns: a thousand orders a second leave some 50,000 changes, which are read beside the balances. */
const intervalMs = 5_000;

/** Keeps the balances of the book up to date, so that reading them costs what happened in the last seconds. Any number of workers may do it. */
export function startBookRollForward({ ledger, log }: { ledger: Ledger; log: Log }): Loop {
  return startLoop({
    name: 'book roll-forward',
    intervalMs,
    log,
    async turn() {
      while (!(await rollForward(ledger)));
    },
  });
}
