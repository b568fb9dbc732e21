import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import { type Caller, profilesOf } from '../access/permissions.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import type { LedgerTables } from '../tables.ts';
import type { OrderState } from '../tables/orders.ts';

/** An order as the ledger keeps it: a row of `orders`. */
export type Order = Selectable<LedgerTables['orders']>;

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
  const known = ledger.selectFrom('orders').where('profile', '=', filter.profile);
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

/**
 * A query for each state, in whose text the state is: orders that are not processed have an index by state (migration 0056), which a plan for
 * any state could not use. Few orders have a hash, so they are found before they are sorted.
 */
function selectOrders(ledger: Ledger, { profile, address, txHash, memo, states = [] }: OrderFilter): [OrderRows, ...OrderRows[]] {
  const orders = txHash === undefined ? ledger.selectFrom('orders') : ledger.selectFrom(ordersOfHash(ledger, txHash).as('orders'));
  let query: OrderRows = orders.where('orders.profile', '=', profile).selectAll('orders');
  if (memo !== undefined) query = query.where(sql<boolean>`hashtextextended(memo, 0) = hashtextextended(${memo}, 0) and memo = ${memo}`);
  const ofAddress = (state?: OrderState) => (address === undefined ? query : query.where(isOfAddress(address, { memo, state })));
  const [first, ...others] = [...new Set(states)].map((state) => ofAddress(state).where('state', '=', sql.lit(state)));
  return first === undefined ? [ofAddress()] : [first, ...others];
}

/**
 * A merchant may have one address for a million orders. So it is looked for by itself alone, or among the orders that are processed; the index by memo or of those
 * that are not processed finds fewer. A plan for all values knows neither, and to it they cost the same.
 */
function isOfAddress(address: LowerAddress, { memo, state }: { memo: string | undefined; state: OrderState | undefined }) {
  const condition = sql<boolean>`orders.address = ${address}`;
  const isIndexUsed = memo === undefined && (state === undefined || state === 'processed');
  return isIndexUsed ? condition : hiddenFromPlanner(condition);
}

/** The offset keeps the other conditions out: with them, the planner may look for the orders in the whole index of a profile. */
function ordersOfHash(ledger: Ledger, txHash: string) {
  return ledger
    .selectFrom('orders')
    .where(sql<boolean>`tx_hashes @> array[${txHash}]::text[]`)
    .selectAll()
    .offset(sql.lit(0));
}

type OrderRows = SelectQueryBuilder<LedgerTables, 'orders', Order>;
