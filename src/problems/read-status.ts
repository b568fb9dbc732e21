import { type Heartbeat, listHeartbeats, silentAfterSeconds } from '../ledger/lanes/heartbeats.ts';
import { countOpenLegs, type OpenLegs } from '../ledger/lanes/open-legs.ts';
import { listTokenOpenings, type TokenOpening } from '../ledger/lanes/token-openings.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countOpenOrders } from '../ledger/orders/order-queries.ts';
import { subscriptionHealth, type SubscriptionHealth } from '../ledger/webhooks/delivery-queries.ts';
import { type BoundSettings, boundsOf } from './bounds.ts';
import { comparisonProblems } from './comparison-problems.ts';
import { componentProblems } from './component-problems.ts';
import { ledgerProblems, reviewProblems } from './ledger-problems.ts';
import { approvalProblems } from './approval-problems.ts';
import { lateStatementProblems, type StatementSettings } from './late-statement-problems.ts';
import { type JudgedProblem, judgeProblems, type Problem } from './problem.ts';
import { isFailing, subscriberProblems } from './subscriber-problems.ts';

/** The settings from which problems follow. */
export type StatusSettings = BoundSettings & StatementSettings;

/** The state of the whole service, as `mintrail status` shows it. */
export interface ServiceStatus {
  /** True when nothing stops money, and nobody has waited for a person longer than they may. */
  ok: boolean;
  /** The most urgent first. */
  problems: JudgedProblem[];
  /** The problems that stop nothing yet: something ends or runs out some day. */
  warnings: JudgedProblem[];
  components: { component: string; chain: Heartbeat['chain']; ok: boolean; ageSeconds: number; facts: Record<string, unknown> }[];
  /** Orders that have not ended, by state, as {@link countOpenOrders} counts them. */
  orders: Record<'placed' | 'pending', number>;
  openLegs: Omit<OpenLegs, 'older'>[];
  /** Tokens that were in circulation before this ledger issued them. */
  openings: TokenOpening[];
  /** Subscriptions that are behind, or whose deliveries failed in the last 24 hours. */
  failingWebhooks: SubscriptionHealth[];
}

/** Reads the state of the whole service from the ledger and its heartbeats. Asks no chain and no process. Its cost does not grow with history. */
export async function readStatus(ledger: Ledger, settings: StatusSettings, now = new Date()): Promise<ServiceStatus> {
  const [{ problems, warnings, heartbeats, openLegs, subscriptions }, orders, openings] = await Promise.all([
    readProblems(ledger, settings, now),
    countOpenOrders(ledger),
    listTokenOpenings(ledger),
  ]);
  return {
    ok: !problems.some(({ overdue }) => overdue),
    problems: joinSilentProcesses(problems, heartbeats),
    warnings,
    components: heartbeats.map(({ component, chain, facts, age }) => {
      const ok = age < silentAfterSeconds && facts['ok'] !== false;
      return { component, chain, ok, ageSeconds: Math.round(age), facts };
    }),
    orders,
    openLegs: openLegs.map(({ chain, kind, state, count, isMore, oldestSeconds }) => ({
      chain,
      kind,
      state,
      count,
      isMore,
      oldestSeconds,
    })),
    openings,
    failingWebhooks: subscriptions.filter(isFailing),
  };
}

/** All problems, the most urgent first, with the rows that they were read from; `warnings` are those that stop nothing yet. */
export async function readProblems(
  ledger: Ledger,
  settings: StatusSettings,
  now = new Date(),
): Promise<
  Record<'problems' | 'warnings', JudgedProblem[]> & { heartbeats: Heartbeat[]; openLegs: OpenLegs[]; subscriptions: SubscriptionHealth[] }
> {
  const [heartbeats, openLegs, subscriptions, ...ofLedger] = await Promise.all([
    listHeartbeats(ledger),
    countOpenLegs(ledger),
    subscriptionHealth(ledger),
    ledgerProblems(ledger, boundsOf(settings, now)),
    comparisonProblems(ledger, settings.networks, now),
    lateStatementProblems(ledger, settings, now),
    approvalProblems(ledger, now),
    reviewProblems(ledger),
  ]);
  const fromProcesses = componentProblems({ heartbeats, openLegs, networks: settings.networks, now });
  // A worker knows more of a transaction than the ledger does.
  const isKnown = ({ kind, chain }: Problem) => fromProcesses.some((problem) => problem.kind === kind && problem.chain === chain);
  const fromLedger = ofLedger.flat().filter((problem) => !isKnown(problem));
  const all = judgeProblems([...fromProcesses, ...fromLedger, ...subscriberProblems(subscriptions, now)], now, settings.warnAt);
  return { problems: all.filter((problem) => !isSoon(problem)), warnings: all.filter(isSoon), heartbeats, openLegs, subscriptions };
}

function isSoon({ severity }: JudgedProblem): boolean {
  return severity === 'soon';
}

/** One problem of each process that is silent, whichever networks it serves. What shows a single network has each of its own. */
function joinSilentProcesses(problems: readonly JudgedProblem[], heartbeats: readonly Heartbeat[]): JudgedProblem[] {
  const processOf = ({ kind, chain, subject }: JudgedProblem) =>
    kind === 'worker_silent'
      ? heartbeats.find((beat) => beat.component === subject && beat.chain === chain && beat.age >= silentAfterSeconds)?.process
      : undefined;
  return [...Map.groupBy(problems, (problem) => processOf(problem) ?? problem).values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const texts = [first, ...others].map(({ text }) => text);
    return Object.assign({}, first, { chain: '' as const, text: texts.join('. In the same process ') });
  });
}
