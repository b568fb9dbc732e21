import type { SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { countText, mostCounted } from '../../ledger/most-counted.ts';
import { renderTable } from '../output.ts';

/** A table of webhook subscriptions with their pending and failed deliveries. */
export function renderSubscriptions(subscriptions: readonly SubscriptionHealth[]): string {
  const rows = subscriptions.map((health) => [
    health.subscription,
    health.application,
    health.origin,
    health.types.join(' '),
    stateText(health),
    health.pending === 0 ? '0' : `${countText(health.pending, mostCounted.overdue)}, oldest ${health.oldestSeconds} s`,
    countText(health.failed, mostCounted.overdue),
    health.lastError ?? '',
  ]);
  return renderTable(['id', 'application', 'to', 'types', 'state', 'pending', 'failed (24 h)', 'last error'], rows);
}

function stateText({ state, inactiveReason, pausedUntil }: SubscriptionHealth): string {
  if (inactiveReason !== null) return `${state}: ${inactiveReason}`;
  return state === 'active' && pausedUntil !== null ? `active: its receiver asked for a pause until ${pausedUntil.toISOString()}` : state;
}
