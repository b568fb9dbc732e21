import { type RawBuilder, sql } from 'kysely';
import { dispatchLock, tryLock } from '../advisory-locks.ts';
import { permissionConditions } from '../access/permissions.ts';
import type { Chain } from '../../platform/chains.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { lowestIdOfDays } from '../lowest-id.ts';

/** The network and the kind of an order. */
export interface OrderKind {
  chain: Chain;
  kind: 'issue' | 'redeem';
}

/** What one dispatch did. */
export interface DispatchResult {
  /** Events that have their position now. */
  events: number;
  /** Deliveries that were made of them. */
  deliveries: number;
  /** The network and the kind of each order that they say was placed, and the orders that they say have ended. */
  placedOrders: OrderKind[];
  endedOrders: string[];
  /** Whether anybody has subscribed. */
  hasSubscriptions: boolean;
}

/** Events that wait for their position for longer than this are found by a sweep of all partitions alone. */
const recentDays = 31;

/** Which events a dispatcher looks at: those of the last month, as it does many times in a second, or all of them. */
export type DispatchRange = 'recent' | 'all';

/**
 * Numbers at most `limit` of the oldest events that have no position, and makes a delivery for each active subscription that selected the type
 * and whose application may act on the profile. One dispatcher runs at a time: while another one does, this call does nothing. Unless there are such events
 * for certain (`isCertain`), it looks for one before it takes its turn.
 */
export async function dispatchEvents(
  ledger: Ledger,
  limit: number,
  range: DispatchRange = 'all',
  { isCertain = false } = {},
): Promise<DispatchResult> {
  const none = { events: 0, deliveries: 0, placedOrders: [], endedOrders: [] };
  const { hasEvents, hasSubscriptions } = await look(ledger, isCertain ? sql`true` : isAnyUnnumbered(range));
  if (!hasEvents) return { ...none, hasSubscriptions };
  const { rows } = await sql<Omit<DispatchResult, 'hasSubscriptions'>>`
    with turn as materialized (
      select ${tryLock(dispatchLock)} as is_held
    ), taken as materialized (
      select id from events where (select is_held from turn) and ${isUnnumbered(range)} ${hasSubscriptions ? sql`` : andNobodySubscribed}
      order by sequence limit ${limit}
    ), numbered as materialized (
      select id, nextval('event_positions') as position from taken
    ), placed as (
      -- What the dispatcher before has numbered since this statement began is its own.
      update events e set position = n.position from numbered n where e.id = any(array[n.id]) and ${hiddenFromPlanner(sql`e.position is null`)}
      returning e.id, e.type, e.profile, e.subject, e.sequence, e.data ->> 'chain' as chain, e.data ->> 'kind' as kind
    ) ${hasSubscriptions ? deliver : sql`select count(*)::int as events, 0 as deliveries, ${subjects} from placed`}
  `.execute(ledger);
  return { ...(rows[0] ?? none), hasSubscriptions };
}

/** What somebody subscribed to since the look is not numbered without a delivery: the next dispatch makes it. */
const andNobodySubscribed = sql`and not exists (select from webhook_subscriptions where state = 'active')`;

/** An order has one event when it is placed, and one when it has ended. */
const subjects = sql`coalesce(
    jsonb_agg(jsonb_build_object('chain', chain, 'kind', kind)) filter (where type = 'order.created'), '[]') as "placedOrders",
  coalesce(array_agg(subject) filter (where type = 'order.updated'), '{}') as "endedOrders"`;

/** Private applications get order events only, authorization-code applications none (docs/api.md, Events). */
const deliver = sql`, receivers as materialized (
    select s.id, s.types, a.id as application, a.kind, a.owner as "user", u.default_profile
    from webhook_subscriptions s join applications a on a.id = s.application join users u on u.id = a.owner
    where s.state = 'active' and a.kind <> 'authorization_code' and a.disabled_at is null
    for key share of s -- so that a deletion under way is waited for
  ), chosen as (
    ${sql.join(permissionConditions('r', 'p').map(eventsPermittedBy), sql` union `)}
  ), made as (
    insert into webhook_deliveries (id, subscription, event, type, subject, sequence)
    select delivery_id(id, subscription), subscription, id, type, subject, sequence from chosen order by sequence
    returning id
  )
  select count(*)::int as events, (select count(*) from made)::int as deliveries, ${subjects} from placed`;

function eventsPermittedBy(condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`select r.id as subscription, e.* from placed e join profiles p on p.id = e.profile join receivers r on ${condition}
    where e.type = any(r.types) and (r.kind <> 'private' or e.type like 'order.%')`;
}

/** Says, by one statement, whether there are events (SQL of a value), and whether anybody has subscribed. */
async function look(ledger: Ledger, hasEvents: RawBuilder<boolean>): Promise<{ hasEvents: boolean; hasSubscriptions: boolean }> {
  const { rows } = await sql<{ hasEvents: boolean; hasSubscriptions: boolean }>`
    select ${hasEvents} as "hasEvents", exists (select from webhook_subscriptions where state = 'active') as "hasSubscriptions"
  `.execute(ledger);
  return rows[0] as (typeof rows)[number];
}

/**
 * PostgreSQL ignores the order of rows inside `exists`. Where statistics were made while many events had no position, it would read a partition from its
 * beginning, expecting one soon, and find none.
 */
function isAnyUnnumbered(range: DispatchRange): RawBuilder<boolean> {
  return sql`(select true from events where ${isUnnumbered(range)} order by sequence limit 1) is true`;
}

function isUnnumbered(range: DispatchRange): RawBuilder<boolean> {
  const isRecent = range === 'recent' ? sql`id >= ${lowestIdOfDays(recentDays)}` : sql`true`;
  return sql<boolean>`position is null and ${isRecent}`;
}
