import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import { type Caller, profilesOf } from '../access/permissions.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import type { OrderState } from '../../schema/states.ts';
import { type Order, orderColumns, ordersInState } from './orders-in-state.ts';

/** Which orders to list (docs/api.md, Listing orders). */
export interface OrderFilter {
  profile: string;
  address?: LowerAddress | undefined;
  /** Lower case. */
  txHash?: string | undefined;
  memo?: string | undefined;
  states?: OrderState[] | undefined;
}

const latestFirst: Sort = { at: 'orders.placedAt', cursor: 'orders.id', direction: 'desc', cursorMeaning: 'an order of this profile' };

/** One page of the orders that match a filter, latest first, and how many match. The cursor is an order's id. Throws `unknown_cursor`. */
export async function listOrders(ledger: Ledger, filter: OrderFilter, page: PageRequest): Promise<Page<Order>> {
  // Found by its id: to the planner the index of a merchant's orders costs the same, and has all of them.
  const known = ledger.selectFrom('orders').where(hiddenFromPlanner(sql<boolean>`profile = ${filter.profile}`));
  return readPage<Order>(ledger, { matching: selectOrders(ledger, filter), known, sort: latestFirst }, page);
}

/** An order of one of the caller's profiles; `undefined` when there is no such order. */
export async function findOrder(ledger: Ledger, caller: Caller, id: string): Promise<Order | undefined> {
  return ledger
    .selectFrom('orders')
    .where('id', '=', id)
    .where('profile', 'in', profilesOf(ledger, caller))
    .selectAll('orders')
    .executeTakeFirst();
}

/** A query for each state, in whose text the state is. Few orders have a hash, so they are found before they are sorted. */
function selectOrders(ledger: Ledger, { profile, address, txHash, memo, states = [] }: OrderFilter): [OrderRows, ...OrderRows[]] {
  const ofState = (state?: OrderState): OrderRows => {
    const orders = txHash === undefined ? ordersInState(state) : ordersWithHash(txHash);
    let query: OrderRows = ledger.selectFrom(orders.as('orders')).where('orders.profile', '=', profile).select(orderColumns);
    if (memo !== undefined) query = query.where(sql<boolean>`hashtextextended(memo, 0) = hashtextextended(${memo}, 0) and memo = ${memo}`);
    if (address !== undefined) query = query.where(isOfAddress(address, { memo, state }));
    return state === undefined ? query : query.where('orders.state', '=', sql.lit(state));
  };
  const [first, ...others] = [...new Set(states)].map(ofState);
  return first === undefined ? [ofState()] : [first, ...others];
}

/**
 * A merchant may have one address for a million orders. So it is looked for by itself alone, or among the orders that are processed; the index by memo or of those
 * that are open or rejected finds fewer. A plan for all values knows neither, and to it they cost the same.
 */
function isOfAddress(address: LowerAddress, { memo, state }: { memo: string | undefined; state: OrderState | undefined }) {
  const condition = sql<boolean>`orders.address = ${address}`;
  const isIndexUsed = memo === undefined && (state === undefined || state === 'processed');
  return isIndexUsed ? condition : hiddenFromPlanner(condition);
}

/** The offset keeps the other conditions out: with them, the planner may look for the orders in the whole index of a profile. */
function ordersWithHash(txHash: string): RawBuilder<Order> {
  return sql`(select * from orders where id = any(array(${ordersOfHash(txHash)})) and ${txHash} = any(tx_hashes) offset 0)`;
}

type OrderRows = SelectQueryBuilder<{ orders: Order }, 'orders', Order>;

/**
 * SQL of a query: the ids of the orders that a transaction, in lower case, has carried out or refused. A leg that was refused and is tried again, as when tokens
 * are given back, keeps the hash among its failures.
 */
export function ordersOfHash(hash: string): RawBuilder<{ id: string }> {
  return sql`select order_id as id from leg_history where tx_hash = ${hash}
    union select l.order_id from leg_failures f join leg_history l on l.id = f.leg where f.tx_hash = ${hash}`;
}
