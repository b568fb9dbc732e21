import { type RawBuilder, sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import { deliverySeconds } from './attempts.ts';

/*
 * By 429 or 503 with `Retry-After` a receiver asks to be left alone (docs/api.md, Deliveries). Each delivery of its subscription waits until then, and at
 * most as long as deliveries are tried: no receiver holds up any attempt for longer.
 */
const mostHeld = sql`make_interval(secs => ${deliverySeconds})`;

/** SQL: until when a delivery of the subscription `s` has to be due in order to be tried now. */
export const dueUntil = sql`case when s.paused_until > now() then now() - ${mostHeld} else now() end`;

const pausedUntil = sql`(select paused_until from webhook_subscriptions where id = webhook_deliveries.subscription)`;

/** SQL: when a pending row of `webhook_deliveries` is tried next. */
export const nextAttemptAt = sql<Date>`least(greatest(next_attempt_at, ${pausedUntil}), next_attempt_at + ${mostHeld})`;

/** SQL: whether a row of `webhook_deliveries` is pending, and waits because its receiver asked for that. */
export const isHeld = sql<boolean>`(state = 'pending' and ${nextAttemptAt} > greatest(now(), next_attempt_at))`;

/**
 * Sends nothing to the receiver of a subscription at `url` for so many seconds, at most as long as deliveries are tried; a longer pause stays. Returns
 * whether it made one.
 */
export async function pauseSubscription(ledger: Ledger, id: string, { url, seconds }: { url: string; seconds: number }): Promise<boolean> {
  const until = sql<Date>`now() + make_interval(secs => ${Math.min(seconds, deliverySeconds)})`;
  const { numUpdatedRows } = await ledger
    .updateTable('webhookSubscriptions')
    .set({ pausedUntil: until })
    .where('id', '=', id)
    .where('url', '=', url)
    .where((where) => where.or([where('pausedUntil', 'is', null), where('pausedUntil', '<', until)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Ends the pause of subscriptions, whose ids are an SQL expression: what waits is due at once. So are the deliveries that were answered so, which have the later
 * time as their own too, because their twelve hours go on.
 */
export async function endPause(ledger: Ledger, subscriptions: RawBuilder<unknown>): Promise<void> {
  await sql`
    with resumed as (
      update webhook_subscriptions set paused_until = null where paused_until is not null and id = ${subscriptions} returning id
    )
    update webhook_deliveries d set next_attempt_at = now() from resumed r
    where d.subscription = r.id and d.state = 'pending' and d.lease is null and d.next_attempt_at > now() and d.last_status in (429, 503)
  `.execute(ledger);
}
