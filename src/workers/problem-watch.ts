import { Gauge, type Registry } from 'prom-client';
import type { OpenLegs } from '../ledger/lanes/open-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { chainsOf } from '../platform/chains.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { Settings } from '../platform/settings.ts';
import { type Problem, problemKinds } from '../status/problem.ts';
import { readProblems } from '../status/read-status.ts';
import { isWarningKind, warningKinds } from '../status/warning.ts';
import { alarmKinds } from './alarms.ts';

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

/** Legs of the bank have no network. */
const legKinds = { chain: ['issue', 'redeem'], bank: ['payout', 'return'] } as const;

/**
 * Reads what `mintrail status` shows, for the metrics and the log: a line when a problem begins and one when it ends. The alarms of a network's
 * worker are counted too; their lines are in that worker's log.
 */
export function startProblemWatch({ settings, ledger, log, registry }: ProblemWatchDeps): Loop {
  const gauges = createGauges(registry);
  let [seen, logged] = [new Set<string>(), new Map<string, Problem>()];
  const turn = async () => {
    const { problems, warnings, openLegs } = await readProblems(ledger, settings);
    showProblems(gauges.problems, settings, problems, kinds);
    showProblems(gauges.warnings, settings, warnings, warningKinds);
    showOldest(gauges.oldest, settings, openLegs);
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
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    problems: gauge('mintrail_problems', 'What mintrail status calls a problem', ['chain', 'kind']),
    warnings: gauge('mintrail_warnings', 'What mintrail status warns of: it ends soon and stops nothing yet', ['chain', 'kind']),
    oldest: gauge('mintrail_open_leg_oldest_seconds', 'Seconds for which the oldest open leg has been due; 0 without any', [
      'chain',
      'kind',
    ]),
    readAt: gauge('mintrail_problems_read_timestamp_seconds', 'When the problems were read last', []),
  };
}

function showProblems(gauge: Gauge<'chain' | 'kind'>, settings: Settings, problems: readonly Problem[], all: readonly string[]): void {
  gauge.reset();
  for (const chain of ['', ...chainsOf(settings.networks)]) for (const kind of all) gauge.set({ chain, kind }, 0);
  for (const { chain, kind } of problems) gauge.inc({ chain, kind });
}

function showOldest(gauge: Gauge<'chain' | 'kind'>, settings: Settings, openLegs: readonly OpenLegs[]): void {
  gauge.reset();
  for (const kind of legKinds.bank) gauge.set({ chain: '', kind }, 0);
  for (const chain of chainsOf(settings.networks)) for (const kind of legKinds.chain) gauge.set({ chain, kind }, 0);
  const oldest = new Map<string, OpenLegs>();
  for (const legs of openLegs) {
    const key = `${legs.chain} ${legs.kind}`;
    const isDue = legs.state === 'ready' || legs.state === 'sent';
    if (isDue && legs.oldestSeconds > (oldest.get(key)?.oldestSeconds ?? -1)) oldest.set(key, legs);
  }
  for (const { chain, kind, oldestSeconds } of oldest.values()) gauge.set({ chain, kind }, oldestSeconds);
}

function isRaised(kind: string): boolean {
  return raisedKinds.has(kind) && !(problemKinds as readonly string[]).includes(kind);
}

function keyOf({ kind, chain, subject }: Problem): string {
  return `${kind} ${chain} ${subject}`;
}
