import { z } from 'zod';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { eventTypes } from '../../ledger/orders/events.ts';
import { deliveryStates, listDeliveries, subscribersOf } from '../../ledger/webhooks/delivery-queries.ts';
import { anyOf, defineView } from '../view.ts';

/** What became of the webhooks. Bodies hold names, IBANs and amounts of customers, and are not in it. */
export const deliveries = defineView({
  name: 'webhooks.deliveries',
  summary: 'list deliveries, the latest first; with --json all attempts',
  command: 'webhook deliveries',
  roles: operatorRoles,
  input: z.object({
    subscription: z.uuid().describe('only deliveries to this subscription').optional(),
    state: anyOf(deliveryStates).describe('only deliveries in these states').optional(),
    type: anyOf(eventTypes).describe('only events of these types').optional(),
    event: z.uuid().describe('only deliveries of this event (the webhook-id)').optional(),
    subject: z.uuid().describe('only events about this order or profile').optional(),
    after: z.uuid().describe('only those that follow this one').optional(),
  }),
  limit: { usual: 20, most: 1_000 },
  async read(ledger, { state: states, type: types, after, limit, ...which }) {
    const { rows, total, isTotalEstimated } = await listDeliveries(ledger, { ...which, states, types }, { limit, after });
    const subscriptions = rows.map(({ subscription }) => subscription);
    const subscribers = await subscribersOf(ledger, subscriptions);
    return { rows: rows.map((row) => deliveryRow(row, subscribers)), total, isTotalEstimated };
  },
  keyOf: ({ id }) => id,
  columns: {
    id: ({ id }) => id,
    created: ({ createdAt }) => createdAt,
    type: ({ type }) => type,
    subject: ({ subject }) => subject,
    event: ({ event }) => event,
    state: stateText,
    attempts: ({ attempts }) => attempts,
    'last answer': ({ lastError, lastStatus }) => lastError ?? (lastStatus === null ? '' : `answered ${lastStatus}`),
  },
  empty: 'No deliveries.',
});

type Delivery = Awaited<ReturnType<typeof listDeliveries>>['rows'][number];

function deliveryRow(delivery: Delivery, subscribers: ReadonlyMap<string, string>) {
  return {
    ...delivery,
    applicationName: subscribers.get(delivery.subscription) ?? null,
    lastDurationMs: delivery.history.at(-1)?.duration ?? null,
  };
}

function stateText({ state, nextAttemptAt, attempts, isHeld }: Delivery): string {
  if (nextAttemptAt === null || (attempts === 0 && !isHeld)) return state;
  return `${state}, next ${nextAttemptAt.toISOString()}${isHeld ? ', its receiver asked for a pause' : ''}`;
}
