import type { Gauge, Registry } from 'prom-client';
import type { Ledger } from '../ledger/ledger.ts';
import { countOpenOrders } from '../ledger/orders/order-queries.ts';
import { subscriptionHealth } from '../ledger/webhooks/delivery-queries.ts';
import { chainsOf } from '../platform/chains.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import { registeredGauge } from '../platform/metrics/registered.ts';
import type { Settings } from '../platform/settings.ts';
import { type Problem, problemKinds } from '../status/problem.ts';
import { isFailing, readProblems } from '../status/read-status.ts';
import { isWarningKind, warningKinds } from '../status/warning.ts';
import { alarmKinds } from './alarms.ts';
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

/** Kinds of problems, without those that a worker and the ledger both find listed twice. */
const kinds = [...new Set<string>([...problemKinds, ...alarmKinds])];

/** Kinds that a worker raises, and whose lines are in its log. */
const raisedKinds: ReadonlySet<string> = new Set([...alarmKinds, ...warningKinds.filter((kind) => kind !== 'statements_late')]);

/**
 * Reads what `mintrail status` shows, for the metrics and the log: a line when a problem begins and one when it ends. The alarms of a network's
 * worker are counted too; their lines are in that worker's log.
 */
export function startProblemWatch({ settings, ledger, log, registry }: ProblemWatchDeps): Loop {
  const gauges = createGauges(registry);
  const openWork = createOpenWorkMetrics(registry, chainsOf(settings.networks));
  let [seen, logged] = [new Set<string>(), new Map<string, Problem>()];
  const turn = async () => {
    const [{ problems, warnings, openLegs }, openOrders, subscriptions] = await Promise.all([
      readProblems(ledger, settings),
      countOpenOrders(ledger),
      subscriptionHealth(ledger),
    ]);
    showProblems(gauges.problems, settings, problems, kinds);
    showProblems(gauges.warnings, settings, warnings, warningKinds);
    openWork.show(openLegs);
    openWork.showOrders(openOrders);
    gauges.failing.set(subscriptions.filter((subscription) => subscription.state === 'active' && isFailing(subscription)).length);
    gauges.readAt.set(Date.now() / 1000);
    const now = new Map([...problems, ...warnings].filter(({ kind }) => !isRaised(kind)).map((problem) => [keyOf(problem), problem]));
    // Twice in a row: a process that is being started is not worth a line.
    const lasting = new Map([...now].filter(([key]) => seen.has(key)));
    for (const [key, { kind, chain, subject, text }] of lasting)
      if (!logged.has(key)) log[isWarningKind(kind) ? 'warn' : 'error']({ problem: kind, chain, subject }, text);
    for (const [key, { kind, chain, subject }] of logged)
      if (!now.has(key)) log.info({ problem: kind, chain, subject }, 'the problem has ended');
    [seen, logged] = [new Set(now.keys()), lasting];
  };
  return startLoop({ name: 'problems', intervalMs, log, turn });
}

function createGauges(registry: Registry) {
  return {
    problems: registeredGauge(registry, 'mintrail_problems'),
    warnings: registeredGauge(registry, 'mintrail_warnings'),
    failing: registeredGauge(registry, 'mintrail_webhook_subscriptions_failing'),
    readAt: registeredGauge(registry, 'mintrail_problems_read_timestamp_seconds'),
  };
}

function showProblems(gauge: Gauge<'chain' | 'kind'>, settings: Settings, problems: readonly Problem[], all: readonly string[]): void {
  gauge.reset();
  for (const chain of ['', ...chainsOf(settings.networks)]) for (const kind of all) gauge.set({ chain, kind }, 0);
  for (const { chain, kind } of problems) gauge.inc({ chain, kind });
}

function isRaised(kind: string): boolean {
  return raisedKinds.has(kind) && !(problemKinds as readonly string[]).includes(kind);
}

function keyOf({ kind, chain, subject }: Problem): string {
  return `${kind} ${chain} ${subject}`;
}
