import { subscriptionHealth, type SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { countText, mostCounted } from '../../ledger/most-counted.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail webhook subscriptions`. */
export async function printSubscriptions(json: boolean): Promise<void> {
  const subscriptions = await withLedger(subscriptionHealth);
  if (json) return print(renderJson(subscriptions));
  print(subscriptions.length === 0 ? 'No subscriptions.' : renderSubscriptions(subscriptions));
}

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
