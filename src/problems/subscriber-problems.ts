import type { SubscriptionHealth } from '../ledger/webhooks/delivery-queries.ts';
import { countText, mostCounted } from '../ledger/most-counted.ts';
import type { Problem } from './problem.ts';

/** A delivery that is tried for so long has had several attempts. */
const behindAfterSeconds = 60;

/** Applications that are named one by one. */
const mostNamed = 20;

/** Whether a subscription is behind, deliveries of it were given up in the last 24 hours, or its receiver is gone or asked to be left alone. */
export function isFailing({ failed, triedSeconds, inactiveReason, pausedUntil }: SubscriptionHealth): boolean {
  return inactiveReason !== null || pausedUntil !== null || failed > 0 || (triedSeconds ?? 0) > behindAfterSeconds;
}

/**
 * The active subscriptions whose receivers do not take their events, those of an application as one problem: no partner hides another's. One that is
 * inactive misses none that anybody promised it.
 */
export function subscriberProblems(subscriptions: readonly SubscriptionHealth[], now: Date): Problem[] {
  const failing = subscriptions
    .filter((subscription) => subscription.state === 'active' && isFailing(subscription))
    .map((subscription) => Object.assign(subscription, { since: failingSince(subscription, now) }))
    .toSorted((a, b) => a.since.getTime() - b.since.getTime());
  const applications = [...Map.groupBy(failing, ({ application }) => application).values()];
  const [first] = applications[mostNamed] ?? [];
  return [
    ...applications.slice(0, mostNamed).flatMap(ofApplication),
    ...(first === undefined ? [] : [ofOthers(applications.length - mostNamed, first.since)]),
  ];
}

type Failing = SubscriptionHealth & { since: Date };

function ofApplication([oldest, ...others]: readonly Failing[]): Problem[] {
  if (oldest === undefined) return [];
  const { subscription, application, origin, lastError, pending, failed, since } = oldest;
  const why = lastError === null ? 'has asked for a pause' : `does not take its events (${lastError})`;
  const alike =
    others.length === 0
      ? ''
      : `; so do ${others.length} other receivers of this application, which \`mintrail webhook subscriptions\` lists`;
  const text = `the receiver ${origin} ${why}: ${countText(pending, mostCounted.overdue)} wait, and ${countText(failed, mostCounted.overdue)} were given up within a day${alike}. Tell the partner; once it works again, \`mintrail webhook replay --subscription ${subscription}\` sends them again`;
  return [{ kind: 'subscriber_failing', chain: '', subject: application, since, text }];
}

function ofOthers(count: number, since: Date): Problem {
  const applications = count === 1 ? 'another application' : `${count} other applications`;
  const text = `receivers of ${applications} do not take their events: \`mintrail webhook subscriptions\` lists them`;
  return { kind: 'subscriber_failing', chain: '', subject: 'others', since, text };
}

function failingSince({ failedSince, oldestSeconds, triedSeconds, pausedUntil }: SubscriptionHealth, now: Date): Date {
  const pendingSeconds = pausedUntil === null ? triedSeconds : oldestSeconds;
  const pendingSince = new Date(now.getTime() - (pendingSeconds ?? 0) * 1_000);
  return failedSince !== null && failedSince < pendingSince ? failedSince : pendingSince;
}
