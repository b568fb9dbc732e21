import { sql } from 'kysely';
import { type EventRow, eventColumns, eventOf, type LedgerEvent } from '../orders/events.ts';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted } from '../most-counted.ts';
import { type PageRequest, readPage, type Sort } from '../page.ts';
import type { DeliveryState } from '../../schema/states.ts';
import { isHeld, nextAttemptAt } from './receiver-pause.ts';

/** States of deliveries. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const satisfies readonly DeliveryState[];

/** Which deliveries are meant; an absent field restricts nothing. */
export interface DeliveryFilter {
  id?: string | undefined;
  subscription?: string | undefined;
  states?: readonly DeliveryState[] | undefined;
  types?: readonly string[] | undefined;
  event?: string | undefined;
  subject?: string | undefined;
}

/** A delivery and what became of it so far. */
export type DeliveryView = Awaited<ReturnType<typeof listDeliveries>>['rows'][number];

/** One page of the deliveries that fit, latest first, and how many fit in all. Throws `unknown_cursor`. */
export async function listDeliveries(ledger: Ledger, filter: DeliveryFilter, page: PageRequest) {
  const { states = [], ...others } = filter;
  const query = selectDeliveries(ledger, others)
    .select(['id', 'subscription', 'event', 'type', 'subject', 'state', 'attempts', 'history'])
    .select(['createdAt', 'endedAt', 'lastStatus', 'lastError'])
    .select(sql<Date | null>`case when state = 'pending' then ${nextAttemptAt} end`.as('nextAttemptAt'))
    .select(isHeld.as('isHeld'));
  // In the text, because a plan for all states uses no index of those that failed.
  const [first, ...further] = [...new Set(states)].map((state) => query.where('state', '=', sql.lit(state)));
  const matching: [typeof query, ...(typeof query)[]] = first === undefined ? [query] : [first, ...further];
  const sort = filter.subscription === undefined ? byEvent : latestFirst;
  return readPage(ledger, { matching, known: selectDeliveries(ledger, { subscription: filter.subscription }), sort }, page);
}

const latestFirst: Sort = { at: 'createdAt', cursor: 'id', direction: 'desc', cursorMeaning: 'a delivery of this subscription' };

/** By the times of the events, which are in the ids. The index by creation is one of each subscription. */
const byEvent: Sort = { at: 'id', cursor: 'id', direction: 'desc', cursorMeaning: 'a delivery' };

/** How a subscription is doing, for the operator. */
export interface SubscriptionHealth {
  subscription: string;
  application: string;
  /** Scheme, host and port: a path may hold a secret. */
  origin: string;
  types: string[];
  state: 'active' | 'inactive';
  /** Why the service made it inactive. */
  inactiveReason: string | null;
  /** Until when its receiver asked to be left alone; null when it did not, or that is over. */
  pausedUntil: Date | null;
  /** At most {@link mostCounted} and one more, which says that there are further ones, as {@link failed}. */
  pending: number;
  /** Seconds since the oldest pending delivery was made. */
  oldestSeconds: number | null;
  /** Seconds for which the pending delivery that waits longest is tried in vain, the time in which nobody sent left out. */
  triedSeconds: number | null;
  /** Deliveries given up in the last 24 hours. */
  failed: number;
  /** Where there are such, since when the first that was given up in the last four days, which hold a working day and a weekend, is not replayed. */
  failedSince: Date | null;
  /** Why one of these failed. */
  lastError: string | null;
}

/** Every subscription that is not deleted, the oldest first. */
export async function subscriptionHealth(ledger: Ledger): Promise<SubscriptionHealth[]> {
  const { rows } = await sql<SubscriptionHealth>`
    select s.id as subscription, s.application, s.origin, s.types, s.state, s.inactive_reason as "inactiveReason",
      case when s.paused_until > now() then s.paused_until end as "pausedUntil", p.pending, p."oldestSeconds",
      p."triedSeconds", f.failed,
      case when f.failed > 0 then (
        select ended_at from webhook_deliveries where subscription = s.id and state = 'failed' and ended_at > now() - interval '4 days'
        order by ended_at limit 1) end as "failedSince",
      coalesce(p.error, f.error) as "lastError"
    from webhook_subscriptions s
    cross join lateral (
      select count(*)::int as pending, extract(epoch from now() - min(created_at))::int as "oldestSeconds",
        extract(epoch from now() - min(age_begins_at) filter (where last_error is not null))::int as "triedSeconds", max(last_error) as error
      from (
        select created_at, age_begins_at, last_error from webhook_deliveries where subscription = s.id and state = 'pending'
        order by created_at limit ${limitHiddenFromPlanner(mostCounted.overdue + 1)}) d) p
    cross join lateral (
      select count(*)::int as failed, max(last_error) as error
      from (
        select last_error from webhook_deliveries where subscription = s.id and state = 'failed' and ended_at > now() - interval '24 hours'
        order by ended_at desc limit ${mostCounted.overdue + 1}) d) f
    where s.state <> 'deleted' order by s.created_at, s.id
  `.execute(ledger);
  return rows;
}

/** Where a subscription sends, and whose it is. */
export interface SubscriptionTarget {
  subscription: string;
  /** Its path may hold a secret. */
  url: string;
  application: string;
  applicationName: string;
}

/** The targets of all subscriptions that are not deleted. */
export async function subscriptionTargets(ledger: Ledger): Promise<SubscriptionTarget[]> {
  return ledger
    .selectFrom('webhookSubscriptions as s')
    .innerJoin('applications as a', 'a.id', 's.application')
    .where('s.state', '<>', 'deleted')
    .select(['s.id as subscription', 's.url', 's.application', 'a.name as applicationName'])
    .execute();
}

/** Whose subscriptions these are, by their ids, deleted ones too. */
export async function subscribersOf(ledger: Ledger, subscriptions: readonly string[]): Promise<Map<string, string>> {
  const rows = await ledger
    .selectFrom('webhookSubscriptions as s')
    .innerJoin('applications as a', 'a.id', 's.application')
    .where('s.id', '=', sql<string>`any(${[...new Set(subscriptions)]}::uuid[])`)
    .select(['s.id', 'a.name'])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A delivery with the event that it carries. Undefined when there is none with this id. */
export async function findDelivery(ledger: Ledger, id: string): Promise<{ delivery: DeliveryView; event: LedgerEvent } | undefined> {
  const { rows } = await listDeliveries(ledger, { id }, { limit: 1 });
  const [delivery] = rows;
  if (!delivery) return undefined;
  const event = await sql<EventRow>`select ${eventColumns('events')} from events where id = ${delivery.event}`.execute(ledger);
  const [row] = event.rows;
  return row && { delivery, event: eventOf(row) };
}

/** How many deliveries have not ended, of each subscription at most {@link mostCounted} and one more, and how old the oldest is. */
export async function pendingDeliveries(ledger: Ledger): Promise<{ count: number; oldestSeconds: number }> {
  const { rows } = await sql<{ count: number; oldestSeconds: number }>`
    select count(*)::int as count, coalesce(extract(epoch from now() - min(d.created_at)), 0)::int as "oldestSeconds"
    from webhook_subscriptions s cross join lateral (
      select created_at from webhook_deliveries where subscription = s.id and state = 'pending' order by created_at limit ${limitHiddenFromPlanner(mostCounted.open + 1)}) d
    where s.state <> 'deleted'
  `.execute(ledger);
  return rows[0] ?? { count: 0, oldestSeconds: 0 };
}

function selectDeliveries(ledger: Ledger, { id, subscription, types, event, subject }: Omit<DeliveryFilter, 'states'>) {
  let query = ledger.selectFrom('webhookDeliveries');
  if (id !== undefined) query = query.where('id', '=', id);
  if (subscription !== undefined) query = query.where('subscription', '=', subscription);
  if (types !== undefined && types.length > 0) query = query.where('type', 'in', types);
  if (event !== undefined) query = query.where('event', '=', event);
  // By its events: a subject has few, while an index of deliveries by subject would be kept for operators alone.
  if (subject !== undefined)
    query = query.where('event', 'in', ledger.selectFrom('events').where('subject', '=', subject).select('events.id'));
  return query;
}
