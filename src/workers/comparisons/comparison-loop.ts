import type { Registry } from 'prom-client';
import type { Comparison, ComparisonSubject } from '../../ledger/reserve/comparison.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ComparisonName } from '../../schema/column-types.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop, type WakeSource } from '../../platform/loop.ts';
import { minorUnits } from '../../platform/money.ts';
import type { Pace } from '../pacing/pace.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';
import { createBreachWatch } from './breach-watch.ts';

/** What each comparison needs. */
export interface ComparisonDeps {
  ledger: Ledger;
  log: Log;
  registry: Registry;
}

/** One of the comparisons, and how it is made. */
export interface ComparisonLoopOptions extends ComparisonDeps {
  comparison: ComparisonName;
  intervalMs: number;
  wokenBy?: WakeSource[];
  /** For a comparison that costs what is under way: it is made less often the longer it takes. */
  pace?: Pace;
  /** One result for each subject that can be compared now. What cannot is left out: that is no breach, and `mintrail status` names it when it lasts. */
  compare: () => Promise<readonly Comparison[]>;
  /** Subjects that keep their last result while they cannot be compared. Of all others, what has no result is not there any more, such as an account. */
  lasting?: readonly ComparisonSubject[];
}

/**
 * Makes a comparison continuously: records each result, shows it as metrics, and opens a breach for a difference that lasts. Any number of
 * processes may make the same.
 */
export function startComparison({
  comparison,
  intervalMs,
  wokenBy = [],
  pace,
  compare,
  lasting,
  ledger,
  log,
  registry,
}: ComparisonLoopOptions): Loop {
  const metrics = comparisonMetrics(registry);
  const watch = createBreachWatch({ ledger, log });
  const turn = async () => {
    if (pace?.isDue() === false) return;
    const results = await (pace?.run(compare) ?? compare());
    await watch.judge(results, lasting);
    metrics.show(results);
  };
  return startLoop({ name: `comparison ${comparison}`, intervalMs, wokenBy, log, turn });
}

const labelNames = ['comparison', 'currency', 'chain'] as const;

/** The gauges are shared by the comparisons of a process. */
function comparisonMetrics(registry: Registry) {
  const difference = registeredGauge(registry, 'mintrail_reserve_difference_amount');
  const comparedAt = registeredGauge(registry, 'mintrail_reserve_compared_timestamp_seconds');
  return {
    show(results: readonly Comparison[]) {
      const sums = new Map<string, Comparison>();
      for (const result of results) {
        const key = labelNames.map((label) => result[label]).join(' ');
        // A difference of one account must not hide the opposite one of another.
        const size = result.difference < 0n ? 0n - result.difference : result.difference;
        sums.set(key, { ...result, difference: minorUnits((sums.get(key)?.difference ?? 0n) + size) });
      }
      for (const sum of sums.values()) {
        const { comparison, currency, chain } = sum;
        difference.set({ comparison, currency, chain }, Number(sum.difference) / 100);
        comparedAt.set({ comparison, currency, chain }, Date.now() / 1000);
      }
    },
  };
}
