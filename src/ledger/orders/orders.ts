import { type Selectable, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import { type Caller, profilesOf } from '../access/permissions.ts';
import type { Ledger } from '../ledger.ts';
import { type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import type { LedgerTables, OrderState } from '../tables.ts';

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
  return readPage<Order>(selectOrders(ledger, filter).selectAll('orders'), known, latestFirst, page);
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

function selectOrders(ledger: Ledger, { profile, address, txHash, memo, states }: OrderFilter) {
  let query = ledger.selectFrom('orders').where('profile', '=', profile);
  if (address !== undefined) query = query.where('address', '=', address);
  if (txHash !== undefined) query = query.where(sql<boolean>`tx_hashes @> array[${txHash}]::text[]`);
  if (memo !== undefined) query = query.where('memo', '=', memo);
  if (states !== undefined && states.length > 0) query = query.where('state', 'in', states);
  return query;
}
