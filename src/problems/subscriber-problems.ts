import type { SubscriptionHealth } from '../ledger/webhooks/delivery-queries.ts';
import { countText, mostCounted } from '../ledger/most-counted.ts';
import type { Problem } from './problem.ts';

/** A delivery that has waited this long has had several attempts. */
const behindAfterSeconds = 60;

/** Subscriptions that are named one by one. */
const mostNamed = 20;

/** Whether a subscription is behind, deliveries of it were given up in the last 24 hours, or its receiver is gone or asked to be left alone. */
export function isFailing({ failed, oldestSeconds, inactiveReason, pausedUntil }: SubscriptionHealth): boolean {
  return inactiveReason !== null || pausedUntil !== null || failed > 0 || (oldestSeconds ?? 0) > behindAfterSeconds;
}

/** The active subscriptions whose receivers do not take their events. One that is inactive misses none that anybody promised it. */
export function subscriberProblems(subscriptions: readonly SubscriptionHealth[], now: Date): Problem[] {
  return subscriptions
    .filter((subscription) => subscription.state === 'active' && isFailing(subscription))
    .slice(0, mostNamed)
    .map(({ subscription, origin, lastError, pending, failed, failedSince, oldestSeconds }) => {
      const why = lastError === null ? 'has asked for a pause' : `does not take its events (${lastError})`;
      const text = `the receiver ${origin} ${why}: ${countText(pending, mostCounted.overdue)} wait, and ${countText(failed, mostCounted.overdue)} were given up within a day. Tell the partner; once it works again, \`mintrail webhook replay --subscription ${subscription}\` sends them again`;
      const pendingSince = new Date(now.getTime() - (oldestSeconds ?? 0) * 1_000);
      const since = failedSince !== null && failedSince < pendingSince ? failedSince : pendingSince;
      return { kind: 'subscriber_failing', chain: '', subject: subscription, since, text };
    });
}
