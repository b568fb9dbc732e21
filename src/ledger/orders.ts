import { type Selectable, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';
import type { Caller } from './access-tokens.ts';
import type { Ledger } from './ledger.ts';
import { profilesOf } from './profiles.ts';
import type { LedgerTables, OrderState } from './tables.ts';

export type Order = Selectable<LedgerTables['orders']>;

/** What a list of orders is narrowed to (specification, `GET /orders`). */
export interface OrderFilter {
  profile: string;
  /** Lower case. */
  address?: string | undefined;
  /** Lower case. */
  txHash?: string | undefined;
  memo?: string | undefined;
  states?: OrderState[] | undefined;
  limit: number;
  /** Id of the last order of the page before. */
  after?: string | undefined;
}

/** One page of the orders that fit, latest first, and how many fit in all. Throws `unknown_cursor`. */
export async function listOrders(ledger: Ledger, filter: OrderFilter): Promise<{ orders: Order[]; total: number }> {
  const matching = selectOrders(ledger, filter);
  const { total } = await matching.select((select) => select.fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow();
  let page = matching.selectAll('orders').orderBy('placed_at', 'desc').orderBy('id', 'desc').limit(filter.limit);
  if (filter.after !== undefined) {
    const last = ledger.selectFrom('orders').where('id', '=', filter.after).where('profile', '=', filter.profile);
    if (!(await last.select('id').executeTakeFirst()))
      throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after: 'is not an order of this profile' } });
    // Compared in SQL: a JavaScript date would lose the microseconds.
    page = page.where(sql<boolean>`(placed_at, id) < (${last.select('placed_at')}, ${filter.after}::uuid)`);
  }
  return { orders: await page.execute(), total: Number(total) };
}

/** An order of one of the caller's profiles. */
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
