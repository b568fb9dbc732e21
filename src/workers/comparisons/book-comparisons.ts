import type { Running } from '../../platform/loop.ts';
import type { Settings } from '../../platform/settings.ts';
import { compareBookWithBank } from '../../reconciliation/book-and-bank.ts';
import { compareBookWithIndex } from '../../reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../reconciliation/book-and-states.ts';
import { createPace } from '../pacing/pace.ts';
import { type ComparisonDeps, startComparison } from './comparison-loop.ts';

/** Between two comparisons, at least: each costs what is open, and a few milliseconds without any. */
const intervalMs = 5_000;

/** Starts the comparisons that need nothing but the database: the book against the ledger's states, the bank's statements, and the index of each network. */
export function startBookComparisons({ settings, ...deps }: ComparisonDeps & { settings: Settings }): Running[] {
  const { ledger } = deps;
  const networks = Object.values(settings.networks);
  return [
    startComparison({ ...deps, comparison: 'states', intervalMs, pace: createPace(), compare: () => compareBookWithStates(ledger) }),
    startComparison({ ...deps, comparison: 'bank', intervalMs, compare: () => compareBookWithBank(ledger) }),
    ...networks.map((network) =>
      startComparison({
        ...deps,
        comparison: 'index',
        intervalMs,
        pace: createPace(),
        compare: async () => (await compareBookWithIndex(ledger, network)) ?? [],
      }),
    ),
  ];
}
