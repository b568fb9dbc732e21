import { expect } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Comparison } from '../../src/ledger/reserve/comparison.ts';
import type { Settings } from '../../src/platform/settings.ts';
import { compareBookWithIndex } from '../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { until } from '../support/until.ts';

/** Expects `mintrail reconcile` to find no difference in any comparison, once the indexers have caught up (before, it ends with 75). */
export async function expectReconciled(dataDir: string): Promise<void> {
  const { code, stdout } = await until('all comparisons are made', async () => {
    const result = await mintrail(['reconcile', '--json'], { MINTRAIL_DATA_DIR: dataDir });
    // The nodes are compared by the networks' workers.
    return result.code !== 75 && result.stdout.includes('"nodes"') ? result : undefined;
  });
  const { comparisons, breaches } = JSON.parse(stdout) as {
    comparisons: { comparison: string; difference: string }[];
    breaches: unknown[];
  };
  expect(breaches).toEqual([]);
  expect(comparisons.filter(({ difference }) => difference !== '0.00')).toEqual([]);
  expect(comparisons.map(({ comparison }) => comparison)).toEqual(expect.arrayContaining(['states', 'index', 'nodes']));
  expect(code).toBe(0);
}

/** Compares the book with the states and with the index of each network; undefined while an indexer is not ready. */
export async function compareBook(ledger: Ledger, { networks }: Pick<Settings, 'networks'>): Promise<Comparison[] | undefined> {
  const withIndex = await Promise.all(Object.values(networks).map((network) => compareBookWithIndex(ledger, network)));
  if (withIndex.includes(undefined)) return undefined;
  return [...(await compareBookWithStates(ledger)), ...withIndex.flatMap((comparisons) => comparisons ?? [])];
}
