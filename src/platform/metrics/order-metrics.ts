import type { MetricDefinition } from './definition.ts';

/** The stages of an order, each measured from the end of the one before it. */
export const orderStages = ['sent', 'mined', 'confirmed', 'processed', 'delivered'] as const;

/** Upper bounds of the classes of age by which open legs are counted, in seconds; older legs are of the class `+Inf`. */
export const legAgesSeconds = [60, 600, 3_600] as const;

/** Metrics of orders and their legs. */
export const orderMetrics = {
  mintrail_orders_total: {
    type: 'counter',
    help: 'Orders that came into a state: placed, processed or rejected',
    unit: '',
    labels: ['chain', 'kind', 'state'],
    servedBy: ['common worker'],
  },
  mintrail_open_orders: {
    type: 'gauge',
    help: 'Orders that have not ended, by state; more than 10,000 of a state are shown as 10,001',
    unit: '',
    labels: ['state'],
    servedBy: ['common worker'],
  },
  mintrail_order_stage_duration_seconds: {
    type: 'histogram',
    help: 'Time of an order in a stage: from its acceptance until its first leg on chain is sent, then mined, then confirmed; then until the order is processed; then until a subscriber has the event (delivered)',
    unit: 'seconds',
    labels: ['chain', 'kind', 'stage'],
    servedBy: ['common worker'],
    // From a lane that was waiting for it to a payout that the bank decides on the next day.
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400],
  },
  mintrail_open_legs: {
    type: 'gauge',
    help: 'Legs that are not done, by the time since which they are due, in seconds at most; chain is empty for legs of the bank. Of a kind and state on a network the oldest 10,000 are counted',
    unit: '',
    labels: ['chain', 'kind', 'state', 'age'],
    servedBy: ['common worker'],
  },
  mintrail_open_leg_oldest_seconds: {
    type: 'gauge',
    help: 'For how long the oldest open leg that is not held has been due; 0 without any',
    unit: 'seconds',
    labels: ['chain', 'kind'],
    servedBy: ['common worker'],
  },
} as const satisfies Record<string, MetricDefinition>;
