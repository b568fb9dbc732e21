import { listAllOrders, type OrderListFilter } from '../../ledger/orders/order-queries.ts';
import { formatAmount } from '../../platform/money.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail orders list`. */
export interface ListOptions extends OrderListFilter {
  json?: true;
}

/** `mintrail orders list`. */
export async function listOrders({ json, ...filter }: ListOptions): Promise<void> {
  const orders = await withLedger((ledger) => listAllOrders(ledger, filter));
  if (json) return print(renderJson(orders.map((order) => ({ ...order, amount: formatAmount(order.amount) }))));
  if (orders.length === 0) return print('No orders.');
  const rows = orders.map((order) => [
    order.id,
    formatTime(order.placedAt),
    order.kind,
    order.chain,
    order.address,
    `${formatAmount(order.amount)} ${order.currency.toUpperCase()}`,
    order.state,
    order.rejectedReason ?? '',
  ]);
  print(renderTable(['id', 'placed', 'kind', 'chain', 'account', 'amount', 'state', 'reason'], rows));
}
