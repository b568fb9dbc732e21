import { type Heartbeat, listHeartbeats, silentAfterSeconds } from '../ledger/lanes/heartbeats.ts';
import { countOpenLegs, type OpenLegs } from '../ledger/lanes/open-legs.ts';
import { listTokenOpenings, type TokenOpening } from '../ledger/lanes/token-openings.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countOpenOrders } from '../ledger/orders/order-queries.ts';
import { subscriptionHealth, type SubscriptionHealth } from '../ledger/webhooks/delivery-queries.ts';
import { type BoundSettings, boundsOf } from './bounds.ts';
import { comparisonProblems } from './comparison-problems.ts';
import { componentProblems } from './component-problems.ts';
import { ledgerProblems } from './ledger-problems.ts';
import { approvalWarnings } from './approval-warnings.ts';
import { ledgerWarnings, type WarningSettings } from './ledger-warnings.ts';
import { byUrgency, type Problem } from './problem.ts';
import { isWarningKind } from './warning.ts';

/** A delivery that has waited this long has had several attempts. */
const behindAfterSeconds = 60;

/** The settings from which problems and warnings follow. */
export type StatusSettings = BoundSettings & WarningSettings;

/** The state of the whole service, as `mintrail status` shows it. */
export interface ServiceStatus {
  /** True when there are no problems. */
  ok: boolean;
  /** The most urgent first. */
  problems: Problem[];
  /** What ends or runs out some day, and does not stop anything yet; the oldest first. */
  warnings: Problem[];
  components: { component: string; chain: Heartbeat['chain']; ok: boolean; ageSeconds: number; facts: Record<string, unknown> }[];
  /** Orders that have not ended, by state, as {@link countOpenOrders} counts them. */
  orders: Record<'placed' | 'pending', number>;
  openLegs: Omit<OpenLegs, 'older'>[];
  /** Tokens that were in circulation before this ledger issued them. */
  openings: TokenOpening[];
  /** Subscriptions that are behind, or whose deliveries failed in the last 24 hours. Their receivers are at fault, so they are no problem of the service. */
  failingWebhooks: SubscriptionHealth[];
}

/** Reads the state of the whole service from the ledger and its heartbeats. Asks no chain and no process. Its cost does not grow with history. */
export async function readStatus(ledger: Ledger, settings: StatusSettings, now = new Date()): Promise<ServiceStatus> {
  const [{ problems, warnings, heartbeats, openLegs }, subscriptions, orders, openings] = await Promise.all([
    readProblems(ledger, settings, now),
    subscriptionHealth(ledger),
    countOpenOrders(ledger),
    listTokenOpenings(ledger),
  ]);
  return {
    ok: problems.length === 0,
    problems,
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

/** Whether a subscription is behind, deliveries of it were given up in the last 24 hours, or its receiver is gone or asked to be left alone. */
export function isFailing({ failed, oldestSeconds, inactiveReason, pausedUntil }: SubscriptionHealth): boolean {
  return inactiveReason !== null || pausedUntil !== null || failed > 0 || (oldestSeconds ?? 0) > behindAfterSeconds;
}

/** All problems, the most urgent first, and all warnings, the oldest first, with the rows that they were read from. */
export async function readProblems(
  ledger: Ledger,
  settings: StatusSettings,
  now = new Date(),
): Promise<{ problems: Problem[]; warnings: Problem[]; heartbeats: Heartbeat[]; openLegs: OpenLegs[] }> {
  const [fromLedger, fromComparisons, warnings, approvals, heartbeats, openLegs] = await Promise.all([
    ledgerProblems(ledger, boundsOf(settings, now)),
    comparisonProblems(ledger, settings.networks, now),
    ledgerWarnings(ledger, settings, now),
    approvalWarnings(ledger),
    listHeartbeats(ledger),
    countOpenLegs(ledger),
  ]);
  const fromComponents = componentProblems({ heartbeats, openLegs, networks: settings.networks, now });
  // A worker knows more of a transaction than the ledger does.
  const isKnown = ({ kind, chain }: Problem) => fromComponents.some((problem) => problem.kind === kind && problem.chain === chain);
  const all = [...fromComponents, ...fromComparisons, ...warnings, ...approvals, ...fromLedger.filter((problem) => !isKnown(problem))];
  all.sort(byUrgency);
  return { problems: all.filter((problem) => !isWarning(problem)), warnings: all.filter(isWarning), heartbeats, openLegs };
}

function isWarning({ kind }: Problem): boolean {
  return isWarningKind(kind);
}
