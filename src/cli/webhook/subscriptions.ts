import type { SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { renderTable } from '../output.ts';

/** Webhook subscriptions and how they are doing. */
export function renderSubscriptions(found: readonly SubscriptionHealth[]): string {
  const rows = found.map((one) => [
    one.subscription,
    one.application,
    one.origin,
    one.types.join(' '),
    one.state,
    one.pending === 0 ? '0' : `${one.pending}, oldest ${one.oldestSeconds} s`,
    String(one.failed),
    one.lastError ?? '',
  ]);
  return renderTable(['id', 'application', 'to', 'types', 'state', 'pending', 'given up (24 h)', 'last error'], rows);
}
