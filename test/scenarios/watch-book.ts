import { setTimeout as delay } from 'node:timers/promises';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { openBreaches } from '../../src/ledger/reserve/breaches.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool, isDatabaseOutage } from '../../src/platform/database.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';

/** Watches the book of a sandbox, whatever happens to its processes. */
export interface BookWatch {
  /** Ends the watch. Returns what it has seen that must never be: the first time, and how often the book was compared. */
  end(): Promise<{ looks: number; wrong: string[] }>;
}

/**
 * Looks every second: the trial balance is zero and each account of the book holds what the ledger's states say, in one snapshot, and no comparison
 * has a breach. While the database is down there is nothing to see.
 */
export function watchBook(dataDir: string): BookWatch {
  const { databaseUrl } = cliSettings({ MINTRAIL_DATA_DIR: dataDir });
  const ledger = createLedger(createPool({ connectionString: databaseUrl, max: 1 }), wakesNobody);
  const ending = new AbortController();
  const seen = { looks: 0, wrong: [] as string[] };
  const run = async () => {
    while (!ending.signal.aborted && seen.wrong.length === 0) {
      try {
        seen.wrong = await whatIsWrong(ledger);
        seen.looks += 1;
      } catch (error) {
        if (!isDatabaseOutage(error)) seen.wrong = [String(error)];
      }
      await delay(1_000, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const ended = run();
  return {
    async end() {
      ending.abort();
      await ended;
      await ledger.destroy();
      return seen;
    },
  };
}

async function whatIsWrong(ledger: Ledger): Promise<string[]> {
  const differing = (await compareBookWithStates(ledger)).filter(({ difference }) => difference !== 0n);
  return [
    ...differing.map(
      ({ account, currency, expected, actual }) => `${account || 'trial balance'} ${currency}: ${actual} is not ${expected}`,
    ),
    ...(await openBreaches(ledger)).map(({ comparison, currency, difference }) => `a breach of ${comparison} ${currency}: ${difference}`),
  ];
}
