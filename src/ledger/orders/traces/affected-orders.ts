import { AsyncLocalStorage } from 'node:async_hooks';

/** Orders that are collected of one piece of work at most: what an import of a large file does beyond them is named by no log line. */
const mostCollected = 10_000;

const collecting = new AsyncLocalStorage<Set<string>>();

/** Runs `work`, and returns with its result the ids of the orders that it placed or ended, at most 10,000. If it throws, nothing is known of them. */
export async function collectOrders<T>(work: () => Promise<T>): Promise<{ result: T; orders: string[] }> {
  const orders = new Set<string>();
  const result = await collecting.run(orders, work);
  return { result, orders: [...orders] };
}

/** Says that the work under way has placed or ended an order. Whoever began the work may want to name it in the log. */
export function noteOrder(orderId: string): void {
  const orders = collecting.getStore();
  if (orders !== undefined && orders.size < mostCollected) orders.add(orderId);
}
