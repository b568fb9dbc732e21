import { sql } from 'kysely';
import { type EventRow, eventColumns, eventOf, type LedgerEvent } from '../orders/events.ts';
import { MintrailError } from '../../platform/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Ledger } from '../ledger.ts';
import { dueUntil } from './receiver-pause.ts';
import { openSecrets, type StoredSecrets } from './subscription-secrets.ts';

/** A delivery that only this worker may send, until its lease ends. */
export interface ClaimedDelivery {
  id: string;
  subscription: string;
  /** Identifies the attempt: a result is recorded only under the current lease. */
  lease: string;
  /** Which attempt this is, from 1. */
  attempt: number;
  /** Seconds since the first attempt began, without those for which a further one was due and not made: in a pause of the receiver, or an outage here. */
  age: number;
  url: string;
  /** The secrets that sign: the current one, and the previous one while it is valid (docs/api.md, Subscriptions). An error when they do not open. */
  secrets: string[] | MintrailError;
  event: LedgerEvent;
  /** That of the request that caused the event. */
  correlationId: string | null;
}

/** How many deliveries a worker claims, of which subscriptions, and for how long. */
export interface ClaimOptions {
  /** Deliveries to claim at most, and how many of them for subscriptions that are failing. */
  limit: number;
  failingLimit: number;
  /** For each subscription: how many deliveries are in flight, how many more may be, and whether its last attempt failed. */
  slots: readonly { subscription: string; busy: number; free: number; failing: boolean }[];
  /** How many deliveries of any other subscription may be in flight. */
  otherSlots: number;
  /** After so long without a result, any worker may claim the delivery again. */
  leaseSeconds: number;
}

/** How long a delivery is postponed whose predecessor is in flight. The end of the predecessor usually comes sooner and makes it due. */
const blockedSeconds = 1;

/**
 * Claims deliveries that are due, round robin over the active subscriptions, so that none waits for another's backlog. A delivery is postponed
 * while an earlier one of its subject is pending, until that one's next attempt. `postponed` counts them: more may be due behind them. Those of
 * subscriptions whose secrets are sealed with a key that this process does not have wait for one that has it.
 */
export async function claimDeliveries(
  ledger: Ledger,
  sealer: Sealer,
  { limit, failingLimit, slots, otherSlots, leaseSeconds }: ClaimOptions,
): Promise<{ claimed: ClaimedDelivery[]; postponed: number }> {
  if (!(await isAnyDue(ledger))) return { claimed: [], postponed: 0 };
  const isKnown = (column: string) => sql`sealing_key(${sql.ref(column)}) = any(${sealer.knownKeyIds})`;
  const { rows } = await sql<ClaimRow>`
    with seen as materialized (
      select d.*, coalesce(input.busy, 0) as busy, coalesce(input.free, ${otherSlots}) as free, coalesce(input.failing, false) as failing
      from webhook_subscriptions s join applications a on a.id = s.application
      left join jsonb_to_recordset(${JSON.stringify(slots)}::jsonb) as input(subscription uuid, busy int, free int, failing boolean)
        on input.subscription = s.id
      cross join lateral (
        select id, subscription, next_attempt_at, sequence, (
          select case when earlier.lease is null then earlier.next_attempt_at else now() end from webhook_deliveries earlier
          where earlier.subscription = d.subscription and earlier.subject = d.subject and earlier.sequence < d.sequence
            and earlier.state = 'pending'
          order by earlier.sequence limit 1) as blocked_until
        from webhook_deliveries d
        where d.subscription = s.id and d.state = 'pending' and d.next_attempt_at <= ${dueUntil}
        order by d.next_attempt_at, d.sequence limit coalesce(input.free, ${otherSlots}) * 2
        for update skip locked
      ) d
      where s.state = 'active' and a.disabled_at is null and ${isKnown('s.secret')}
        and (s.previous_secret_until is null or s.previous_secret_until <= now() or ${isKnown('s.previous_secret')})
    ), waiting as (
      update webhook_deliveries d set lease = null, next_attempt_at = greatest(s.blocked_until, now() + make_interval(secs => ${blockedSeconds}))
      from seen s where d.id = s.id and s.blocked_until is not null returning d.id
    ), ready as (
      select *, row_number() over (partition by subscription order by next_attempt_at, sequence) as turn from seen where blocked_until is null
    ), allowed as (
      select *, row_number() over (partition by failing order by turn + busy, next_attempt_at) as rank from ready where turn <= free
    ), chosen as (
      select id from allowed where not failing or rank <= ${failingLimit} order by turn + busy, next_attempt_at limit ${limit}
    ), claimed as (
      update webhook_deliveries d set lease = gen_random_uuid(), attempts = attempts + 1,
        age_begins_at = coalesce(age_begins_at + (now() - d.next_attempt_at), now()), next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
      from chosen c where d.id = c.id returning d.*
    )
    select c.id as delivery, c.subscription, c.lease, c.attempts, extract(epoch from now() - c.age_begins_at)::float8 as age,
      s.url, s.secret, case when s.previous_secret_until > now() then s.previous_secret end as previous,
      ${eventColumns('e')}, e.correlation_id, counted.postponed
    from (select count(*)::int as postponed from waiting) as counted left join claimed c on true
      left join webhook_subscriptions s on s.id = c.subscription left join events e on e.id = c.event
    order by c.sequence
  `.execute(ledger);
  return {
    postponed: rows[0]?.postponed ?? 0,
    claimed: rows.flatMap((row) => (row.delivery === null ? [] : [claimOf(sealer, row as ClaimRow & { delivery: string })])),
  };
}

/** Mostly none is due, and to plan the claim alone costs many times this. */
async function isAnyDue(ledger: Ledger): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_subscriptions s cross join lateral (
      select from webhook_deliveries d where d.subscription = s.id and d.state = 'pending' and d.next_attempt_at <= ${dueUntil}
      order by d.next_attempt_at limit 1) d
    where s.state = 'active' limit 1
  `.execute(ledger);
  return rows.length > 0;
}

interface ClaimRow extends EventRow, StoredSecrets {
  delivery: string | null;
  subscription: string;
  lease: string;
  attempts: number;
  age: number;
  url: string;
  correlationId: string | null;
  postponed: number;
}

function claimOf(sealer: Sealer, row: ClaimRow & { delivery: string }): ClaimedDelivery {
  const { delivery, subscription, lease, attempts, age, url, correlationId, id, type, createdAt, data } = row;
  const secrets = tryOpening(sealer, subscription, row);
  const event = eventOf({ id, type, createdAt, data });
  return { id: delivery, subscription, lease, attempt: attempts, age, url, secrets, event, correlationId };
}

/** A single row that was altered keeps no other delivery from being sent. */
function tryOpening(sealer: Sealer, subscription: string, stored: StoredSecrets): ClaimedDelivery['secrets'] {
  try {
    return openSecrets(sealer, subscription, stored);
  } catch (error) {
    if (error instanceof MintrailError) return error;
    throw error;
  }
}
