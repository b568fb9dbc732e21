import type { Gauge, Registry } from 'prom-client';
import type { Ledger } from '../ledger/ledger.ts';
import { countOpenOrders } from '../ledger/orders/order-queries.ts';
import { chainsOf } from '../platform/chains.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import { registeredGauge } from '../platform/metrics/registered.ts';
import type { Settings } from '../platform/settings.ts';
import { catalogue, problemKinds } from '../problems/catalogue.ts';
import { entryOf, type JudgedProblem } from '../problems/problem.ts';
import { readProblems } from '../problems/read-status.ts';
import { createOpenWorkMetrics } from './metrics/open-work-metrics.ts';

/** What the watch over the whole service needs. */
export interface ProblemWatchDeps {
  settings: Settings;
  ledger: Ledger;
  log: Log;
  registry: Registry;
}

/** Between two looks. Their cost does not grow with history, and nothing that they find is a matter of seconds. */
const intervalMs = 15_000;

/**
 * Reads what `mintrail status` shows, for the metrics and the log: a line when a problem begins and one when it ends. The alarms of a network's
 * worker are counted too; their lines are in that worker's log.
 */
export function startProblemWatch({ settings, ledger, log, registry }: ProblemWatchDeps): Loop {
  const gauges = createGauges(registry);
  const openWork = createOpenWorkMetrics(registry, chainsOf(settings.networks));
  let [seen, logged] = [new Set<string>(), new Map<string, JudgedProblem>()];
  const turn = async () => {
    const [{ problems, warnings, openLegs }, openOrders] = await Promise.all([readProblems(ledger, settings), countOpenOrders(ledger)]);
    const all = [...problems, ...warnings];
    showProblems(gauges.problems, settings, all);
    openWork.show(openLegs);
    openWork.showOrders(openOrders);
    gauges.readAt.set(Date.now() / 1000);
    const now = new Map(all.filter(({ kind }) => entryOf(kind).foundBy.includes('status')).map((problem) => [keyOf(problem), problem]));
    // Twice in a row: a process that is being started is not worth a line.
    const lasting = new Map([...now].filter(([key]) => seen.has(key)));
    for (const [key, { kind, chain, subject, severity, text }] of lasting)
      if (!logged.has(key)) log[severity === 'soon' ? 'warn' : 'error']({ problem: kind, chain, subject }, text);
    for (const [key, { kind, chain, subject }] of logged)
      if (!now.has(key)) log.info({ problem: kind, chain, subject }, 'the problem has ended');
    [seen, logged] = [new Set(now.keys()), lasting];
  };
  return startLoop({ name: 'problems', intervalMs, log, turn });
}

function createGauges(registry: Registry) {
  return {
    problems: registeredGauge(registry, 'mintrail_problems'),
    readAt: registeredGauge(registry, 'mintrail_problems_read_timestamp_seconds'),
  };
}

function showProblems(gauge: Gauge<'chain' | 'kind' | 'severity'>, settings: Settings, problems: readonly JudgedProblem[]): void {
  gauge.reset();
  for (const chain of ['', ...chainsOf(settings.networks)])
    for (const kind of problemKinds) gauge.set({ chain, kind, severity: catalogue[kind].severity }, 0);
  for (const { chain, kind, severity } of problems) gauge.inc({ chain, kind, severity });
}

function keyOf({ kind, chain, subject }: JudgedProblem): string {
  return `${kind} ${chain} ${subject}`;
}
