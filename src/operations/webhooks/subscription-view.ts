import { z } from 'zod';
import { countText, mostCounted } from '../../ledger/most-counted.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { subscribersOf, subscriptionHealth, type SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { isFailing } from '../../problems/subscriber-problems.ts';
import { defineView } from '../view.ts';

/** What a table says of each: also that of `mintrail status`, of those that fail. */
export const healthColumns = {
  id: ({ subscription }) => subscription,
  application: ({ application }) => application,
  to: ({ origin }) => origin,
  types: ({ types }) => types.join(' '),
  state: stateText,
  pending: ({ pending, oldestSeconds }) => (pending === 0 ? '0' : `${countText(pending, mostCounted.overdue)}, oldest ${oldestSeconds} s`),
  'failed (24 h)': ({ failed }) => countText(failed, mostCounted.overdue),
  'last error': ({ lastError }) => lastError,
} satisfies Record<string, (health: SubscriptionHealth) => string | null>;

/** Who receives events, and what became of them. The path of a receiver's URL may hold a secret, and is not in it. */
export const subscriptions = defineView({
  name: 'webhooks.subscriptions',
  summary: 'list subscriptions, the oldest first, with their pending and failed deliveries',
  command: 'webhook subscriptions',
  roles: operatorRoles,
  input: z.object({}),
  async read(ledger) {
    const listed = await subscriptionHealth(ledger);
    const names = await subscribersOf(
      ledger,
      listed.map(({ subscription }) => subscription),
    );
    return listed.map((health) => {
      const applicationName = names.get(health.subscription) ?? health.application;
      return Object.assign(health, { applicationName, failing: isFailing(health) });
    });
  },
  columns: healthColumns,
  empty: 'No subscriptions.',
});

function stateText({ state, inactiveReason, pausedUntil }: SubscriptionHealth): string {
  if (inactiveReason !== null) return `${state}: ${inactiveReason}`;
  return state === 'active' && pausedUntil !== null ? `active: its receiver asked for a pause until ${pausedUntil.toISOString()}` : state;
}
