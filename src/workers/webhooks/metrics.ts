import type { Registry } from 'prom-client';
import type { LedgerEvent } from '../../ledger/orders/events.ts';
import { registeredCounter, registeredGauge, registeredHistogram } from '../../platform/metrics/registered.ts';

/** The metrics of the webhook worker. */
export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

/** What the worker's `/metrics` shows of webhooks. */
export function createWebhookMetrics(registry: Registry) {
  return {
    attempts: registeredCounter(registry, 'mintrail_webhook_attempts_total'),
    seconds: registeredHistogram(registry, 'mintrail_webhook_attempt_duration_seconds'),
    pending: registeredGauge(registry, 'mintrail_webhook_deliveries_pending'),
    delivered: timeDeliveries(registry),
    oldest: registeredGauge(registry, 'mintrail_webhook_delivery_oldest_seconds'),
  };
}

/** Takes each delivered event. Times those of ended orders, by this process's clock against that of the database. */
function timeDeliveries(registry: Registry): (event: LedgerEvent) => void {
  const stages = registeredHistogram(registry, 'mintrail_order_stage_duration_seconds');
  return (event) => {
    if (event.type !== 'order.updated') return;
    const { chain, kind } = event.data;
    stages.observe({ chain, kind, stage: 'delivered' }, Math.max(0, (Date.now() - event.createdAt.getTime()) / 1_000));
  };
}
