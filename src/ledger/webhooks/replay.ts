import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import { endPause } from './receiver-pause.ts';
import type { DeliveryState } from '../../schema/states.ts';

/** Which deliveries to replay: those with these ids, or all of a subscription in a state. */
export type ReplayChoice = { ids: readonly string[] } | { subscription: string; state: DeliveryState; since?: Date | undefined };

/**
 * Starts deliveries anew under the same `webhook-id`, with all their attempts, in whatever state they are, and ends the pause of their receivers: it
 * is asked for, as a change of the subscription is. Skips those in flight and those of subscriptions that are not active. Returns the ids of the deliveries, at most `limit`, the oldest first.
 */
export async function replayDeliveries(ledger: Ledger, choice: ReplayChoice, limit: number): Promise<string[]> {
  const chosen =
    'ids' in choice
      ? sql`d.id = any(${choice.ids}::uuid[])`
      : sql`d.subscription = ${choice.subscription} and d.state = ${choice.state} and (d.state <> 'pending' or d.attempts > 0)
          and coalesce(d.ended_at, d.created_at) >= ${choice.since ?? new Date(0)}`;
  const subscriptions =
    'ids' in choice
      ? sql`any(array(select subscription from webhook_deliveries where id = any(${choice.ids}::uuid[])))`
      : sql`${choice.subscription}`;
  await endPause(ledger, subscriptions);
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set state = 'pending', attempts = 0, age_begins_at = null, next_attempt_at = now(), lease = null, ended_at = null
    where id in (
      select d.id from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription
      where ${chosen} and s.state = 'active' and (d.lease is null or d.next_attempt_at <= now())
      order by d.sequence limit ${limit} for update of d)
    returning id
  `.execute(ledger);
  return rows.map(({ id }) => id);
}

/** Deliveries replayed in one transaction: few, so that workers do not wait for its locks. */
const batchSize = 1_000;

/**
 * Replays what fits, batch by batch, at most `most` deliveries. Returns the ids, and whether more may fit. Naming deliveries, or those that are pending
 * already, replays one batch.
 */
export async function replayInBatches(
  ledger: Ledger,
  choice: ReplayChoice,
  most = Infinity,
): Promise<{ replayed: string[]; hasMore: boolean }> {
  const replayed: string[] = [];
  // A replayed delivery no longer matches the choice, unless it is named or was pending already.
  const isOneBatch = 'ids' in choice || choice.state === 'pending';
  for (;;) {
    const limit = Math.min(batchSize, most - replayed.length);
    const some = await replayDeliveries(ledger, choice, limit);
    replayed.push(...some);
    if (some.length < limit || isOneBatch) return { replayed, hasMore: false };
    if (replayed.length >= most) return { replayed, hasMore: true };
  }
}
