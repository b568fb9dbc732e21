import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { MinorUnits } from '../../platform/money.ts';
import type { HoldReason } from '../../schema/states.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';
import { endLegs, isVoid } from './legs/end-legs.ts';
import { decidedIssueClaims, voidNextLegs } from './settling/next-legs.ts';
import { noteOrder } from './traces/affected-orders.ts';

/*
 * Every change of an order's state. An order is `placed` by insertRedemption (from the API), placeCreditOrders (from a credit) or
 * placeDependentOrders (from another chain); then
 *
 *   placed           -> pending    startOrders: a lane has recorded a transaction with one of its legs
 *   placed           -> rejected   rejectUnsigned: its signature is invalid, or did not come in time
 *   placed, pending  -> rejected   rejectTakenBack: the bank took its credit back before it was sent
 *   placed, pending  -> pending    continueOrders: its tokens are burnt, and the payout is to follow
 *   placed, pending  -> processed  endOrders: all its legs are done
 *   placed, pending  -> rejected   endOrders: a leg was refused, and nothing is owed any more
 *
 * Whatever its state, holdOrders says that a leg of it is held. Each transition names in its SQL the states in which it may begin, so that of two concurrent ones only one has an effect. A trigger of the
 * database records the events of an order (src/schema/orders.sql).
 */

/** An order that has ended. */
export interface EndedOrder {
  orderId: string;
  state: 'processed' | 'rejected';
}

/** SQL of a statement that records a transaction: `placed` -> `pending` for the orders in `carried`, whose legs are in it. */
export const startOrders = sql`update orders set state = 'pending' where state = 'placed' and id = any(array(select order_id from carried))`;

/**
 * SQL of a statement that ends redemptions: `placed`, `pending` -> `pending` for the orders in `readied`, whose payouts are ready now. The hash there is that of the burn, which is
 * an order's first. One is still `placed` when its tokens were burnt before the ledger was restored.
 */
export const continueOrders = sql`
  update orders o set state = 'pending', tx_hashes = array_remove(array[r.tx_hash], null)
  from readied r where o.id = any(array[r.order_id]) and ${hiddenFromPlanner(sql`o.state in ('placed', 'pending')`)}`;

/** The signature of a waiting redemption is valid: its first leg becomes ready. */
export async function releaseRedemption(tx: LedgerTransaction, orderId: string): Promise<void> {
  const legs = await tx
    .updateTable('openLegs')
    .set({ state: 'ready', dueAt: sql`now()` })
    .where('orderId', '=', orderId)
    .where('position', '=', 0)
    .where('state', '=', 'waiting')
    .returning('chain')
    .execute();
  for (const { chain } of legs) if (chain !== null) tx.wakeUps.add(laneQueue(chain));
}

/** `placed` -> `rejected` for a redemption whose signature is invalid, or did not come in time. Nothing was burnt, so nothing is paid out. */
export async function rejectUnsigned(tx: LedgerTransaction, orderId: string, reason: string): Promise<void> {
  await sql`
    with ${endLegs(
      sql`where l.order_id = ${orderId} and l.position = 0 and l.state = 'waiting'`,
      sql`'refused', null::text, null::bigint, ${reason}::text`,
    )}
    update orders o set state = 'rejected', rejected_reason = ${reason}
    from ended e where o.id = e.order_id and o.state = 'placed'
  `.execute(tx);
  await voidNextLegs(tx, [orderId]);
}

/**
 * The bank took the credit of an order back before a transaction carried its leg: nothing is issued, and nothing returned. `placed` or `pending`
 * -> `rejected`; an order that is rejected already only keeps its return from being made.
 */
export async function rejectTakenBack(tx: LedgerTransaction, orderId: string, reason: string): Promise<void> {
  await sql`
    with ${endLegs(sql`where l.order_id = ${orderId} and l.state = 'ready' and l.kind in ('issue', 'return')`, isVoid)}
    update orders o set state = 'rejected', rejected_reason = ${reason}
    from ended v where o.id = v.order_id and o.state in ('placed', 'pending')
  `.execute(tx);
  noteOrder(orderId);
}

/**
 * Ends the orders whose legs have ended. A refused issue order is rejected at once, while its return goes on. A redemption is rejected when
 * the tokens are given back, or were never burnt. One whose tokens cannot be given back stays pending: it is stuck, and the operator's. Claims on their credits are decided
 * with them ({@link decidedIssueClaims}), and the credits locked first (docs/architecture.md, Row locks).
 */
export async function endOrders(tx: LedgerTransaction, orders: string[]): Promise<(EndedOrder & { hasSource: boolean })[]> {
  if (orders.length === 0) return [];
  const { rows } = await sql<EndedOrder & { hasSource: boolean }>`
    with progress as (
      select order_id,
        bool_or(kind = 'issue' and position = 0) as issues,
        bool_and(state = 'done') as done,
        bool_or(state in ('ready', 'sent')) as under_way,
        bool_or(kind = 'issue' and state = 'refused') as issue_refused,
        (array_agg(reason order by position) filter (where state = 'refused'))[1] as reason,
        array_agg(tx_hash order by position) filter (where tx_hash is not null and (kind <> 'payout' or state = 'done')) as hashes
      from legs where order_id = any(${orders}::uuid[]) group by order_id
    ), ended as (
      select p.order_id, p.reason, p.hashes, case
        when p.issues and p.issue_refused then 'rejected'
        when p.under_way or p.issue_refused then null
        when p.reason is not null then 'rejected'
        when p.done then 'processed'
      end as end_state
      from progress p
    ), ${decidedIssueClaims(orders)}, moved as (
      update orders o set
        state = coalesce(e.end_state, 'pending'),
        processed_at = case when e.end_state = 'processed' then now() end,
        rejected_reason = case when e.end_state = 'rejected' then e.reason end,
        tx_hashes = coalesce(e.hashes, '{}')
      from ended e where o.id = any(array[e.order_id]) and ${hiddenFromPlanner(sql`o.state in ('placed', 'pending')`)} and (select count(*) from claims_decided) >= 0
      returning o.id, o.state, o.source_order
    )
    select id as "orderId", state, source_order is not null as has_source from moved where state in ('processed', 'rejected')
  `.execute(tx);
  return rows;
}

/**
 * SQL of a statement: the orders of the relation `legs`, and those that they carry out on another chain, are held until a time, for the reason; or by nothing
 * any more.
 */
export function holdOrders(legs: RawBuilder<unknown>, hold?: { until: Date; reason: HoldReason }): RawBuilder<unknown> {
  const orders = sql`
    select o.id from ${legs} l cross join lateral (
      select l.order_id as id union all select source_order from orders where id = l.order_id and source_order is not null) o`;
  const change =
    hold === undefined ? sql`held_until = null` : sql`held_since = now(), held_for = ${hold.reason}, held_until = ${hold.until}`;
  return sql`update orders set ${change} where id = any(array(${orders})) and state in ('placed', 'pending')`;
}

/**
 * Gives an issue order that waits another account and chain: since the back-up from which the ledger was restored, its holder had chosen them. And another amount, where it
 * was issued before or after charges.
 */
export async function redirectIssue(
  tx: LedgerTransaction,
  order: string,
  to: { account: LowerAddress; chain: Chain; amount: MinorUnits },
): Promise<void> {
  await sql`
    with redirected as (
      update open_legs set account = ${to.account}, chain = ${to.chain}, amount = ${to.amount}, token = null, sequence = null, claimed_by = null
      where order_id = ${order} and kind = 'issue' and state = 'ready' returning id, order_id
    ), recorded as (
      update leg_history h set account = ${to.account}, chain = ${to.chain}, amount = ${to.amount} from redirected r where h.id = r.id
    )
    update orders o set address = ${to.account}, chain = ${to.chain}, amount = ${to.amount} from redirected r where o.id = r.order_id
  `.execute(tx);
}
