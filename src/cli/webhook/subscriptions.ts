import type { SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { renderTable } from '../output.ts';

/** A table of webhook subscriptions with their pending and failed deliveries. */
export function renderSubscriptions(subscriptions: readonly SubscriptionHealth[]): string {
  const rows = subscriptions.map((health) => [
    health.subscription,
    health.application,
    health.origin,
    health.types.join(' '),
    health.state,
    health.pending === 0 ? '0' : `${health.pending}, oldest ${health.oldestSeconds} s`,
    String(health.failed),
    health.lastError ?? '',
  ]);
  return renderTable(['id', 'application', 'to', 'types', 'state', 'pending', 'failed (24 h)', 'last error'], rows);
}
