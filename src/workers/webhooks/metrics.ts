import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics of the webhook worker. */
export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

/** What the worker's `/metrics` shows of webhooks. */
export function createWebhookMetrics(registry: Registry) {
  const registers = [registry];
  return {
    attempts: new Counter({
      name: 'mintrail_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by what became of the delivery: delivered, retried later, or given up (failed)',
      labelNames: ['outcome'],
      registers,
    }),
    seconds: new Histogram({
      name: 'mintrail_webhook_attempt_seconds',
      help: 'Seconds until a receiver had answered, or its time was over',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    pending: new Gauge({ name: 'mintrail_webhook_pending', help: 'Deliveries that have not ended', registers }),
    oldest: new Gauge({
      name: 'mintrail_webhook_oldest_pending_seconds',
      help: 'Age of the oldest delivery that has not ended',
      registers,
    }),
  };
}
