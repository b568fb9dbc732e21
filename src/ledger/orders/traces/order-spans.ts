import { recordSpan } from '../../../platform/tracing/spans.ts';
import { noteOrder } from './affected-orders.ts';

/** Notes, and records in the traces of orders, that legs have ended, and which orders with them. `startedAt` is in milliseconds since 1970. */
export function recordSettling(
  startedAt: number,
  legs: readonly { orderId: string; kind: string; state: string }[],
  orders: readonly { orderId: string; state: string }[],
): void {
  const endOf = new Map(orders.map(({ orderId, state }) => [orderId, state]));
  for (const { orderId, kind, state } of legs) {
    noteOrder(orderId);
    recordSpan({
      subject: orderId,
      name: 'settle leg',
      startedAt,
      attributes: { 'mintrail.leg': kind, 'mintrail.leg.state': state, 'mintrail.order.state': endOf.get(orderId) },
    });
  }
}

/** Notes and records the order that a credit became: the trace begins with it when it comes from a bank file, and with the request when it comes by one. */
export function recordCreditOrder(startedAt: number, orderId: string, correlationId: string | null | undefined): void {
  noteOrder(orderId);
  const isRoot = typeof correlationId !== 'string';
  recordSpan({ subject: orderId, name: 'receive credit', kind: 'consumer', startedAt, isRoot });
}

/** Notes a dependent order, and records the beginning of its trace, and the way to it in the trace of its source. */
export function recordDependentOrder(startedAt: number, { source, dependent }: { source: string; dependent: string }): void {
  noteOrder(dependent);
  recordSpan({ subject: source, name: 'place dependent order', startedAt, links: [dependent] });
  recordSpan({ subject: dependent, name: 'place dependent order', startedAt, links: [source], isRoot: true });
}
