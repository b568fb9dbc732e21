import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import type { DeliveryAttempt } from '../../schema/column-types.ts';

/** What follows an attempt: the end of the delivery, or another attempt after so many seconds. */
export type AfterAttempt = 'delivered' | 'failed' | { retryIn: number };

/** How long a delivery is tried, from its first attempt, without the time for which others hold it up (docs/api.md, Deliveries). */
export const deliverySeconds = 12 * 60 * 60;

/** The latest attempts that a delivery keeps. */
const historyLength = 20;

/**
 * Records an attempt. The end of a delivery makes the next one of its subject due. Returns false, and changes nothing, when the lease has ended
 * and another worker has the delivery, or it was cancelled.
 */
export async function recordAttempt(
  ledger: Ledger,
  { id, lease }: { id: string; lease: string },
  attempt: DeliveryAttempt,
  after: AfterAttempt,
): Promise<boolean> {
  const [state, retryIn] = typeof after === 'object' ? ['pending', after.retryIn] : [after, 0];
  const { rows } = await sql`
    with recorded as (
      update webhook_deliveries set state = ${state}, lease = null, next_attempt_at = now() + make_interval(secs => ${retryIn}),
        ended_at = case when ${state} = 'pending' then null else now() end,
        last_status = ${attempt.status ?? null}, last_error = ${attempt.error ?? null}, last_duration = ${attempt.duration},
        history = case when jsonb_array_length(history) >= ${historyLength} then history - 0 else history end || ${JSON.stringify(attempt)}::jsonb
      where id = ${id} and lease = ${lease} returning *
    ), next as (
      update webhook_deliveries n set next_attempt_at = n.created_at from recorded r
      where r.state <> 'pending' and n.attempts = 0 and n.lease is null and n.id = (
        select id from webhook_deliveries where subscription = r.subscription and subject = r.subject and sequence > r.sequence
          and state = 'pending' order by sequence limit 1)
    )
    select from recorded
  `.execute(ledger);
  return rows.length > 0;
}

/** Ends the leases of a worker that stops: others may claim its unfinished deliveries at once. */
export async function giveBackLeases(ledger: Ledger, leases: readonly string[]): Promise<void> {
  await sql`update webhook_deliveries set lease = null, next_attempt_at = now() where lease = any(${leases}::uuid[])`.execute(ledger);
}

/** Cancels at most `limit` pending deliveries of subscriptions that are no longer active. Returns how many. */
export async function cancelDeliveries(ledger: Ledger, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set state = 'cancelled', lease = null, ended_at = now() where id in (
      select d.id from webhook_subscriptions s join applications a on a.id = s.application join webhook_deliveries d on d.subscription = s.id
      where (s.state <> 'active' or a.disabled_at is not null) and d.state = 'pending' and (d.lease is null or d.next_attempt_at < now())
      limit ${limit} for update of d skip locked)
  `.execute(ledger);
  return Number(numAffectedRows ?? 0n);
}
