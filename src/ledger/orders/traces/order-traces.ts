import { type RawBuilder, sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';

/** What a log line names the orders by that it is about: their ids, and the correlation ids of the requests that made them. */
export interface OrderTraces {
  orderIds: string[];
  correlationIds: string[];
}

/** Orders that one log line names at most: more than a batch has. Whoever has more writes several lines. */
export const mostTracedOrders = 500;

/** The orders of the legs that a transaction carries. Once it has failed, it carries none. */
export async function tracesOfTransaction(ledger: Ledger, transaction: string): Promise<OrderTraces> {
  return tracesOf((await ordersOfTransaction(transaction).execute(ledger)).rows);
}

/** SQL of the query of {@link tracesOfTransaction}. */
export function ordersOfTransaction(transaction: string): RawBuilder<Trace> {
  return sql<Trace>`
    select o.id, o.correlation_id as "correlationId" from legs l ${orderOfLeg} where l.transaction = ${transaction} limit ${mostTracedOrders}`;
}

/** Orders by their ids, at most {@link mostTracedOrders} of them. */
export async function tracesOfOrders(ledger: Ledger, orders: readonly string[]): Promise<OrderTraces> {
  if (orders.length === 0) return { orderIds: [], correlationIds: [] };
  const some = orders.slice(0, mostTracedOrders);
  return tracesOf(await ledger.selectFrom('orders').where('id', 'in', some).select(['id', 'correlationId']).execute());
}

/** Looked up for each leg. For a join, with the limit behind it, the planner may walk through all orders from their beginning. */
const orderOfLeg = sql`cross join lateral (select id, correlation_id from orders where id = l.order_id limit 1) o`;

/** An order, and the correlation id of the request that made it. */
export interface Trace {
  id: string;
  correlationId: string | null;
}

/** Names orders that were read with their correlation ids. */
export function tracesOf(orders: readonly Trace[]): OrderTraces {
  const some = orders.slice(0, mostTracedOrders);
  const correlationIds = new Set(some.flatMap(({ correlationId }) => (correlationId === null ? [] : [correlationId])));
  return { orderIds: [...new Set(some.map(({ id }) => id))], correlationIds: [...correlationIds] };
}
