import { z } from 'zod';
import { findDelivery, subscriptionTargets } from '../../ledger/webhooks/delivery-queries.ts';
import { replayInBatches } from '../../ledger/webhooks/replay.ts';
import { StopError } from '../../platform/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { defineVerb } from '../verb.ts';

/** Deliveries of one request to replay all that failed: an answer comes within seconds, and the rest is replayed by asking again. */
const mostReplayed = 10_000;

const roles = ['treasurer', 'administrator'] as const;

/** Sends a delivery again under the same `webhook-id`, as `mintrail webhook replay` does. */
export const replayWebhooks = defineVerb({
  name: 'webhooks.replay',
  summary: 'send a delivery again with the same webhook-id',
  input: z.strictObject({ delivery: z.uuid(), reason: z.string().trim().max(500).optional() }),
  roles,
  needsSecondPerson: false,
  async describe({ ledger }, { delivery: id }) {
    const known = await findDelivery(ledger, id);
    if (!known) throw nothing(`there is no delivery ${id}`);
    const { delivery, event } = known;
    const { origin } = new URL((await targetOf(ledger, delivery.subscription)).url);
    return `Send the event ${event.type} of ${event.createdAt.toISOString()} (${event.id}) to ${origin} again, with all its attempts. It is ${delivery.state}.`;
  },
  async carryOut({ ledger }, { delivery }) {
    const { replayed } = await replayInBatches(ledger, { ids: [delivery] });
    if (replayed.length === 0) throw nothing('only deliveries to active subscriptions can be replayed, and none that is in flight');
    return { replayed: replayed.length };
  },
  topics: ['webhooks'],
});

/** Sends all failed deliveries of a subscription again, ten thousand at a time. */
export const replayFailedWebhooks = defineVerb({
  name: 'webhooks.replay-failed',
  summary: 'send all failed deliveries of a subscription again',
  input: z.strictObject({
    subscription: z.uuid(),
    since: z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional(),
    reason: z.string().trim().max(500).optional(),
  }),
  roles,
  needsSecondPerson: false,
  async describe({ ledger }, { subscription, since }) {
    const { url, applicationName } = await targetOf(ledger, subscription);
    const period = since === undefined ? '' : ` that ended on ${since} or later`;
    return `Send all failed deliveries of ${applicationName} to ${new URL(url).origin}${period} again, with all their attempts, at most ${mostReplayed} at once.`;
  },
  async carryOut({ ledger }, { subscription, since }) {
    const choice = { subscription, state: 'failed', since: since === undefined ? undefined : new Date(since) } as const;
    const { replayed, hasMore } = await replayInBatches(ledger, choice, mostReplayed);
    return { replayed: replayed.length, hasMore };
  },
  topics: ['webhooks'],
});

async function targetOf(ledger: Ledger, subscription: string) {
  const target = (await subscriptionTargets(ledger)).find((other) => other.subscription === subscription);
  if (target) return target;
  throw nothing(`there is no subscription ${subscription}`);
}

function nothing(why: string): StopError {
  return new StopError({ code: 'nothing_to_replay', message: `Nothing is sent again: ${why}` });
}
