import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import type { Ledger } from '../ledger.ts';
import { mostCounted } from '../most-counted.ts';
import { firstRows } from '../page.ts';
import type { OrderState } from '../../schema/states.ts';
import { ordersInState } from './orders-in-state.ts';

/** Which orders are listed, and how many at most. */
export interface OrderListFilter {
  state?: OrderState[];
  kind?: 'issue' | 'redeem';
  chain?: Chain;
  address?: LowerAddress;
  /** This time or later. */
  placedAfter?: Date;
  placedBefore?: Date;
  limit: number;
}

/** Orders of every profile, as an operator sees them, the latest first. */
export async function listAllOrders(ledger: Ledger, filter: OrderListFilter) {
  const { state = [], kind, chain, address, placedAfter, placedBefore, limit } = filter;
  const ofState = (value?: OrderState) => {
    let query = ledger
      .selectFrom(ordersInState(value).as('orders'))
      .select(['id', 'kind', 'profile', 'address', 'chain', 'currency', 'amount', 'state'])
      .select(['placedAt', 'processedAt', 'rejectedReason', 'memo']);
    if (value) query = query.where('state', '=', sql.lit(value));
    if (kind) query = query.where('kind', '=', kind);
    if (chain) query = query.where('chain', '=', chain);
    if (address) query = query.where('address', '=', address);
    if (placedAfter) query = query.where('placedAt', '>=', placedAfter);
    return placedBefore ? query.where('placedAt', '<', placedBefore) : query;
  };
  const [first = ofState(), ...others] = [...new Set(state)].map(ofState);
  return firstRows(ledger, { matching: [first, ...others], sort: { at: 'placedAt', cursor: 'id', direction: 'desc' } }, limit).execute();
}

/** How many orders are in each state that is not final: of each at most {@link mostCounted} and one more, which says that there are further ones. */
export async function countOpenOrders(ledger: Ledger): Promise<Record<'placed' | 'pending', number>> {
  const { rows } = await sql<Record<'placed' | 'pending', number>>`select ${countOf('placed')}, ${countOf('pending')}`.execute(ledger);
  return rows[0] ?? { placed: 0, pending: 0 };
}

/** SQL of a column: how many orders are in the state. */
function countOf(state: 'placed' | 'pending') {
  const most = limitHiddenFromPlanner(mostCounted.open + 1);
  return sql`(select count(*)::int from (select from open_orders where state = ${sql.lit(state)} order by placed_at limit ${most}) o) as ${sql.ref(state)}`;
}
