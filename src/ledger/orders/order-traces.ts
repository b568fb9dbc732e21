import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** What a log line names the orders by that it is about: their ids, and the correlation ids of the requests that made them. */
export interface OrderTraces {
  orderIds: string[];
  correlationIds: string[];
}

/** Orders that one log line names at most: more than a batch has. Whoever has more writes several lines. */
export const mostTracedOrders = 500;

/** The orders of the legs that a transaction carries. Once it has failed, it carries none. */
export async function tracesOfTransaction(ledger: Ledger, transaction: string): Promise<OrderTraces> {
  const { rows } = await sql<Trace>`
    select distinct o.id, o.correlation_id as "correlationId" from legs l join orders o on o.id = l.order_id
    where l.transaction = ${transaction} limit ${mostTracedOrders}
  `.execute(ledger);
  return tracesOf(rows);
}

/** The orders of payments to the bank. */
export async function tracesOfPayments(ledger: Ledger, payments: readonly string[]): Promise<OrderTraces> {
  const { rows } = await sql<Trace>`
    select distinct o.id, o.correlation_id as "correlationId" from payments p join legs l on l.id = p.leg join orders o on o.id = l.order_id
    where p.id = any(${[...payments]}::uuid[]) limit ${mostTracedOrders}
  `.execute(ledger);
  return tracesOf(rows);
}

interface Trace {
  id: string;
  correlationId: string | null;
}

/** Names orders that were read with their correlation ids. */
export function tracesOf(orders: readonly Trace[]): OrderTraces {
  const some = orders.slice(0, mostTracedOrders);
  const correlationIds = new Set(some.flatMap(({ correlationId }) => (correlationId === null ? [] : [correlationId])));
  return { orderIds: [...new Set(some.map(({ id }) => id))], correlationIds: [...correlationIds] };
}
