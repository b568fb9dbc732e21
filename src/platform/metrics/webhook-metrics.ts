import type { MetricDefinition } from './definition.ts';

/** Metrics of webhooks. */
export const webhookMetrics = {
  mintrail_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver a webhook, by what became of the delivery: delivered, retried later, or given up (failed)',
    unit: '',
    labels: ['outcome'],
    servedBy: ['common worker'],
  },
  mintrail_webhook_attempt_duration_seconds: {
    type: 'histogram',
    help: 'Time until a receiver had answered, or its time was over',
    unit: 'seconds',
    labels: [],
    servedBy: ['common worker'],
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
  },
  mintrail_webhook_deliveries_pending: {
    type: 'gauge',
    help: 'Deliveries that have not ended, of each subscription at most 10,001',
    unit: '',
    labels: [],
    servedBy: ['common worker'],
  },
  mintrail_webhook_delivery_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest delivery that has not ended; 0 without any',
    unit: 'seconds',
    labels: [],
    servedBy: ['common worker'],
  },
} as const satisfies Record<string, MetricDefinition>;
