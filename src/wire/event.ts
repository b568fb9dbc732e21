import type { LedgerEvent } from '../ledger/orders/events.ts';
import { ibanBody } from './iban.ts';
import { orderBody } from './order.ts';

/** An event as deliveries and the order stream carry it (docs/api.md, Events). */
export interface EventBody {
  type: LedgerEvent['type'];
  timestamp: string;
  data: object;
}

/** Renders an event. The body of an event never changes, because a delivery may be repeated under its `webhook-id`. */
export function eventBody(event: LedgerEvent): EventBody {
  return { type: event.type, timestamp: event.createdAt.toISOString(), data: dataOf(event) };
}

function dataOf(event: LedgerEvent): object {
  switch (event.type) {
    case 'order.created':
    case 'order.held':
    case 'order.updated':
      return orderBody(event.data);
    case 'iban.updated':
      return ibanBody(event.data);
    case 'profile.updated':
    case 'profile.error':
      return event.data;
  }
}
