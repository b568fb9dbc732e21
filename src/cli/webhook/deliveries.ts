import type { DeliveryState } from '../../schema/states.ts';
import { type DeliveryFilter, type DeliveryView, listDeliveries, subscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { renderSubscriptions } from './subscriptions.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail webhook deliveries`. */
export interface DeliveriesOptions {
  subscription?: string;
  state?: DeliveryState[];
  type?: string[];
  event?: string;
  subject?: string;
  limit: number;
  json?: true;
}

/** `mintrail webhook subscriptions`. */
export async function printSubscriptions(json: boolean): Promise<void> {
  const subscriptions = await withLedger(subscriptionHealth);
  if (json) return print(renderJson(subscriptions));
  if (subscriptions.length === 0) return print('No subscriptions.');
  print(renderSubscriptions(subscriptions));
}

/** `mintrail webhook deliveries`. */
export async function printDeliveries({ json, limit, state, type, ...rest }: DeliveriesOptions): Promise<void> {
  const filter: DeliveryFilter = { ...rest, states: state, types: type };
  const { rows, total, isTotalEstimated } = await withLedger((ledger) => listDeliveries(ledger, filter, { limit }));
  if (json) return print(renderJson({ deliveries: rows, total, ...(isTotalEstimated && { totalIsEstimate: true }) }));
  if (rows.length === 0) return print('No deliveries.');
  print(renderTable(['id', 'created', 'type', 'subject', 'event', 'state', 'attempts', 'last answer'], rows.map(cells)));
  if (total > rows.length) print(`\n${rows.length} of ${isTotalEstimated ? 'about ' : ''}${total}: --limit shows more.`);
}

function cells(delivery: DeliveryView): string[] {
  const { id, createdAt, type, subject, event, state, attempts, nextAttemptAt, isHeld, lastError, lastStatus } = delivery;
  const answer = lastError ?? (lastStatus === null ? '' : `answered ${lastStatus}`);
  const isWaiting = nextAttemptAt !== null && (attempts > 0 || isHeld);
  const next = isWaiting ? `, next ${formatTime(nextAttemptAt)}${isHeld ? ', its receiver asked for a pause' : ''}` : '';
  return [id, formatTime(createdAt), type, subject, event, `${state}${next}`, String(attempts), answer];
}
