import { setTimeout as delay } from 'node:timers/promises';
import { createEndpoints } from '../../src/chain/endpoints/endpoints.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { openBreaches } from '../../src/ledger/reserve/breaches.ts';
import { type Comparison, comparisonNames, subjectKey } from '../../src/ledger/reserve/comparison.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { statementConnection } from '../../src/platform/postgres/connections.ts';
import { createPool, isDatabaseOutage } from '../../src/platform/database.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { compareBookWithIndex } from '../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { createNodeComparison } from '../../src/workers/comparisons/node-comparison.ts';

/** Watches the book of a sandbox, whatever happens to its processes. */
export interface BookWatch {
  /** Ends the watch. Returns what it has seen that must never be, the first time, and how often each comparison was made. */
  end(): Promise<{ looks: Record<Comparison['comparison'], number>; wrong: string[] }>;
}

/** After a reorganisation the index and the nodes are of two forks for a moment: a difference to them counts when so many looks in a row find it. */
const looksInARow = 10;

/**
 * Makes all four comparisons every second: the trial balance is zero, and nothing is left of a difference that its items do not explain; and no process
 * has found a breach. A comparison that cannot be made, because the indexer or the database is down, is made the next time.
 */
export function watchBook(dataDir: string, file: SandboxFile): BookWatch {
  const settings = cliSettings({ MINTRAIL_DATA_DIR: dataDir });
  const ledger = createLedger(createPool({ ...statementConnection(settings), max: 2 }), wakesNobody);
  const compare = createComparisons(ledger, settings, file);
  const ending = new AbortController();
  const looks = Object.fromEntries(comparisonNames.map((name) => [name, 0])) as Record<Comparison['comparison'], number>;
  const inARow = new Map<string, number>();
  let wrong: string[] = [];
  const look = async () => {
    const results = await compare();
    for (const name of new Set(results.map(({ comparison }) => comparison))) looks[name] += 1;
    const lasting = results.filter((result) => isLasting(inARow, result));
    wrong = [
      ...lasting.map(({ comparison, account, currency, expected, actual, difference }) => {
        const subject = `${comparison}: ${account || 'trial balance'} ${currency}`;
        return `${subject}: ${actual} is not ${expected}, and ${difference} of it is not explained`;
      }),
      ...(await openBreaches(ledger)).map(({ comparison, currency, difference }) => `a breach of ${comparison} ${currency}: ${difference}`),
    ];
  };
  const run = async () => {
    while (!ending.signal.aborted && wrong.length === 0) {
      await look().catch((error: unknown) => {
        if (!isDatabaseOutage(error)) wrong = [String(error)];
      });
      await delay(1_000, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const ended = run();
  return {
    async end() {
      ending.abort();
      await ended;
      await ledger.destroy();
      return { looks, wrong };
    },
  };
}

/** Whether a difference counts: one in the book itself at once, for both sides are read in one snapshot. */
function isLasting(inARow: Map<string, number>, result: Comparison): boolean {
  const key = subjectKey(result);
  const count = result.difference === 0n ? 0 : (inARow.get(key) ?? 0) + 1;
  inARow.set(key, count);
  const isOfLedger = result.comparison === 'states' || result.comparison === 'bank';
  return count >= (isOfLedger ? 1 : looksInARow);
}

function createComparisons(ledger: Ledger, { networks }: ReturnType<typeof cliSettings>, { chains }: SandboxFile) {
  const alarms = { raise: () => {}, clear: () => {}, list: () => [] };
  const ofNetworks = Object.values(networks).flatMap((network) => {
    const rpcUrls = [chains[network.chain]?.rpcUrl ?? ''];
    const endpoints = createEndpoints({ chain: network.chain, rpcUrls });
    const withNodes = createNodeComparison({ ledger, network: { ...network, rpcUrls }, endpoints, alarms, pauseMs: 100 });
    return [async () => (await compareBookWithIndex(ledger, network)) ?? [], withNodes];
  });
  return async (): Promise<Comparison[]> => {
    const all = [() => compareBookWithStates(ledger), () => compareBookWithBank(ledger), ...ofNetworks];
    // While one of them waits for a node or an indexer, the others are made.
    const results = await Promise.all(all.map((compare) => compare().catch(unlessOutage)));
    return results.flat();
  };
}

function unlessOutage(error: unknown): Comparison[] {
  if (!isDatabaseOutage(error)) throw error;
  return [];
}
