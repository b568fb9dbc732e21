import type { LedgerEvent } from '../ledger/orders/events.ts';
import { ibanBody } from './iban.ts';
import { orderBody } from './order.ts';

/** An event as subscribers are told it (docs/api.md, Events). */
export interface EventBody {
  type: LedgerEvent['type'];
  timestamp: string;
  data: object;
}

/** Renders an event. The same event is always the same body: a delivery may be repeated under its `webhook-id`. */
export function eventBody(event: LedgerEvent): EventBody {
  return { type: event.type, timestamp: event.createdAt.toISOString(), data: dataOf(event) };
}

function dataOf(event: LedgerEvent): object {
  switch (event.type) {
    case 'order.created':
    case 'order.updated':
      return orderBody(event.data);
    case 'iban.updated':
      return ibanBody(event.data);
    case 'profile.updated':
    case 'profile.error':
      return event.data;
  }
}
