import { sql } from 'kysely';
import { StopError } from '../platform/errors.ts';
import type { Ledger } from './ledger.ts';
import type { DeliveryState } from './tables.ts';

export interface DeliveryFilter {
  subscription?: string | undefined;
  states?: readonly DeliveryState[] | undefined;
  types?: readonly string[] | undefined;
  event?: string | undefined;
  subject?: string | undefined;
  limit: number;
  /** Id of the last delivery of the page before. */
  after?: string | undefined;
}

export type DeliveryView = Awaited<ReturnType<typeof listDeliveries>>['deliveries'][number];

/** One page of the deliveries that fit, latest first, and how many fit in all. Throws `unknown_cursor`. */
export async function listDeliveries(ledger: Ledger, filter: DeliveryFilter) {
  const matching = selectDeliveries(ledger, filter);
  const { total } = await matching.select((select) => select.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  let page = matching.orderBy('d.id', 'desc').limit(filter.limit);
  if (filter.after !== undefined) {
    if (!(await matching.where('d.id', '=', filter.after).select('d.id').executeTakeFirst()))
      throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after: 'is not one of these deliveries' } });
    page = page.where('d.id', '<', filter.after);
  }
  const deliveries = await page
    .select(['d.id', 'd.subscription', 'd.event', 'd.type', 'd.subject', 'd.state', 'd.attempts', 'd.history'])
    .select(['d.created_at as createdAt', 'd.ended_at as endedAt', 'd.last_status as lastStatus', 'd.last_error as lastError'])
    .select(sql<Date | null>`case when d.state = 'pending' then d.next_attempt_at end`.as('nextAttemptAt'))
    .execute();
  return { deliveries, total: Number(total) };
}

/** How a subscription is doing, for whoever runs the service. */
export interface SubscriptionHealth {
  subscription: string;
  application: string;
  /** Scheme, host and port: a path may hold a secret. */
  origin: string;
  types: string[];
  state: 'active' | 'inactive';
  pending: number;
  /** Seconds since the oldest pending delivery was made. */
  oldestSeconds: number | null;
  /** Deliveries given up in the last 24 hours. */
  failed: number;
  lastError: string | null;
}

/** Every subscription that is not deleted, the oldest first. */
export async function subscriptionHealth(ledger: Ledger): Promise<SubscriptionHealth[]> {
  const { rows } = await sql<SubscriptionHealth>`
    select s.id as subscription, s.application, s.origin, s.types, s.state, p.pending, p."oldestSeconds", f.failed,
      (select last_error from webhook_deliveries where subscription = s.id order by id desc limit 1) as "lastError"
    from webhook_subscriptions s
    cross join lateral (
      select count(*)::int as pending, extract(epoch from now() - min(created_at))::int as "oldestSeconds"
      from webhook_deliveries where subscription = s.id and state = 'pending') p
    cross join lateral (
      select count(*)::int as failed from webhook_deliveries
      where subscription = s.id and state = 'failed' and ended_at > now() - interval '24 hours') f
    where s.state <> 'deleted' order by s.id
  `.execute(ledger);
  return rows;
}

/** How many deliveries have not ended, and how old the oldest is. */
export async function pendingDeliveries(ledger: Ledger): Promise<{ count: number; oldestSeconds: number }> {
  return ledger
    .selectFrom('webhook_deliveries')
    .where('state', '=', 'pending')
    .select([
      sql<number>`count(*)::int`.as('count'),
      sql<number>`coalesce(extract(epoch from now() - min(created_at)), 0)::int`.as('oldestSeconds'),
    ])
    .executeTakeFirstOrThrow();
}

function selectDeliveries(ledger: Ledger, { subscription, states, types, event, subject }: DeliveryFilter) {
  let query = ledger.selectFrom('webhook_deliveries as d');
  if (subscription !== undefined) query = query.where('d.subscription', '=', subscription);
  if (states !== undefined && states.length > 0) query = query.where('d.state', 'in', states);
  if (types !== undefined && types.length > 0) query = query.where('d.type', 'in', types);
  if (event !== undefined) query = query.where('d.event', '=', event);
  // By its events: a subject has few, while an index of deliveries by subject would be kept for operators alone.
  if (subject !== undefined)
    query = query.where('d.event', 'in', ledger.selectFrom('events').where('subject', '=', subject).select('events.id'));
  return query;
}
