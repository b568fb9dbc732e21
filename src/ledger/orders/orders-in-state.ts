import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { OrderState } from '../../schema/states.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** An order as the ledger keeps it: a row of `orders`. */
export type Order = Selectable<LedgerTables['orders']>;

/** Columns that `open_orders` has, too. */
const ownColumns = ['id', 'profile', 'state', 'placedAt', 'address'] as const;

const otherColumns = [
  ...(['kind', 'chain', 'currency', 'amount', 'counterpart', 'memo', 'referenceNumber', 'message', 'signature'] as const),
  ...(['processedAt', 'rejectedAt', 'rejectedReason', 'supportingDocument', 'txHashes', 'correlationId', 'digest'] as const),
  ...(['sourceOrder', 'requestHash', 'givesBack', 'heldSince', 'heldFor', 'heldUntil'] as const),
] satisfies (keyof Order)[];

/** The columns of `orders`, in the order of {@link openOrders}. */
export const orderColumns = [...ownColumns, ...otherColumns] satisfies (keyof Order)[];

const selected = [...ownColumns.map((column) => `open.${column}`), ...otherColumns.map((column) => `orders.${column}`)];

/** SQL of a relation: the orders that are placed or pending, with {@link orderColumns}. They are found among what is open, in the order of their times. */
const openOrders = sql<Order>`(select ${sql.join(selected.map((column) => sql.ref(column)))} from open_orders open join orders on orders.id = open.id)`;

const rejectedOrders = sql<Order>`(select * from orders where rejected_at is not null)`;

/** SQL of a relation: the orders of a state, among others of an index that has few others; all orders for the state `processed`, which nearly all are in. */
export function ordersInState(state: OrderState | undefined): RawBuilder<Order> {
  if (state === 'placed' || state === 'pending') return openOrders;
  return state === 'rejected' ? rejectedOrders : sql<Order>`orders`;
}
