import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { deliveryStates, findDelivery, subscriptionTargets } from '../../ledger/webhooks/delivery-queries.ts';
import { replayInBatches } from '../../ledger/webhooks/replay.ts';
import { StopError } from '../../platform/errors.ts';
import { defineVerb } from '../verb.ts';

/** Deliveries of one request to replay all of a subscription: an answer comes within seconds, and the rest is replayed by asking again. */
const mostReplayed = 10_000;

/** Deliveries that one request names: each is read for the sentence. */
const mostNamed = 100;

const input = z
  .strictObject({
    deliveries: z.array(z.uuid()).min(1).max(mostNamed).describe('ids of deliveries').optional(),
    subscription: z.uuid().describe('all deliveries to this subscription').optional(),
    state: z.enum(deliveryStates).default('failed').describe('that are in this state; by default failed'),
    since: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })])
      .optional()
      .meta({ description: 'that ended at this time or later', flags: '--since <time>' }),
  })
  .refine((choice) => (choice.deliveries === undefined) !== (choice.subscription === undefined), {
    message: 'must name deliveries, or a subscription',
  });

/** Sends deliveries again under the same `webhook-id`. */
export const replayWebhooks = defineVerb({
  name: 'webhooks.replay',
  summary: 'send deliveries again with the same webhook-id: the named ones, or all of a subscription in a state',
  command: 'webhook replay [deliveries...]',
  input,
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: false,
  describe: async ({ ledger }, { deliveries, ...choice }) =>
    deliveries === undefined ? describeSubscription(ledger, choice) : describeDeliveries(ledger, deliveries),
  async carryOut({ ledger }, { deliveries, subscription = '', state, since }) {
    const ofSubscription = { subscription, state, since: since === undefined ? undefined : new Date(since) };
    const choice = deliveries === undefined ? ofSubscription : { ids: [...new Set(deliveries)] };
    const { replayed, hasMore } = await replayInBatches(ledger, choice, mostReplayed);
    const missing = (deliveries ?? []).filter((id) => !replayed.includes(id));
    if (missing.length > 0)
      throw nothing(`only deliveries to active subscriptions can be replayed, and none that is in flight: not ${missing.join(', ')}`);
    if (replayed.length === 0) throw nothing('no delivery matches');
    return { replayed, hasMore };
  },
  topics: ['webhooks'],
});

/** One delivery with its event; several by their number and where they go. */
async function describeDeliveries(ledger: Ledger, ids: readonly string[]): Promise<string> {
  const targets = await subscriptionTargets(ledger);
  const known = await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const attempted = await findDelivery(ledger, id);
      if (!attempted) throw nothing(`there is no delivery ${id}`);
      const { event, delivery } = attempted;
      return { event, delivery, origin: originOf(targets, delivery.subscription) };
    }),
  );
  const [first, ...others] = known;
  if (first !== undefined && others.length === 0) {
    const { event, delivery, origin } = first;
    return `Send the event ${event.type} of ${event.createdAt.toISOString()} (${event.id}) to ${origin} again, with all its attempts. It is ${delivery.state}.`;
  }
  const origins = [...new Set(known.map(({ origin }) => origin))].toSorted();
  return `Send ${known.length} deliveries to ${origins.join(', ')} again, with all their attempts.`;
}

async function describeSubscription(
  ledger: Ledger,
  { subscription = '', state, since }: Omit<z.output<typeof input>, 'deliveries'>,
): Promise<string> {
  const target = targetOf(await subscriptionTargets(ledger), subscription);
  const period = since === undefined ? '' : ` that ended on ${since} or later`;
  return `Send all ${state} deliveries of ${target.applicationName} to ${new URL(target.url).origin}${period} again, with all their attempts, at most ${mostReplayed} at once.`;
}

type Targets = Awaited<ReturnType<typeof subscriptionTargets>>;

function originOf(targets: Targets, subscription: string): string {
  return new URL(targetOf(targets, subscription).url).origin;
}

function targetOf(targets: Targets, subscription: string): Targets[number] {
  const target = targets.find((other) => other.subscription === subscription);
  if (target) return target;
  throw nothing(`there is no subscription ${subscription}`);
}

function nothing(why: string): StopError {
  return new StopError({ code: 'not_possible', message: `Nothing is sent again: ${why}` });
}
