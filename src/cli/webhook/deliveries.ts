import type { DeliveryState } from '../../schema/states.ts';
import { type DeliveryFilter, type DeliveryView, listDeliveries, subscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { type ReplayChoice, replayInBatches } from '../../ledger/webhooks/replay.ts';
import { StopError } from '../../platform/errors.ts';
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

/** Options of `mintrail webhook replay`. */
export interface ReplayOptions {
  subscription?: string;
  state: DeliveryState;
  since?: Date;
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

/** `mintrail webhook replay`. Throws `nothing_to_replay` when a named delivery, or none at all, can be replayed. */
export async function replay(ids: string[], { subscription, state, since, json }: ReplayOptions): Promise<void> {
  if ((ids.length === 0) === (subscription === undefined))
    throw new StopError({ code: 'nothing_to_replay', message: 'Name deliveries, or a subscription with --subscription' });
  const choice: ReplayChoice = subscription === undefined ? { ids } : { subscription, state, since };
  const { replayed } = await withLedger((ledger) => replayInBatches(ledger, choice));
  const missing = ids.filter((id) => !replayed.includes(id));
  if (json) print(renderJson({ replayed, missing }));
  else if (replayed.length > 0) print(`${replayed.length} ${replayed.length === 1 ? 'delivery is' : 'deliveries are'} sent again.`);
  if (missing.length > 0 || replayed.length === 0)
    throw new StopError({
      code: 'nothing_to_replay',
      message: `Not replayed${missing.length > 0 ? `: ${missing.join(', ')}` : ': no delivery matches'}. Only deliveries to active subscriptions can be replayed, and none that is in flight`,
    });
}

function cells(delivery: DeliveryView): string[] {
  const { id, createdAt, type, subject, event, state, attempts, nextAttemptAt, isHeld, lastError, lastStatus } = delivery;
  const answer = lastError ?? (lastStatus === null ? '' : `answered ${lastStatus}`);
  const isWaiting = nextAttemptAt !== null && (attempts > 0 || isHeld);
  const next = isWaiting ? `, next ${formatTime(nextAttemptAt)}${isHeld ? ', its receiver asked for a pause' : ''}` : '';
  return [id, formatTime(createdAt), type, subject, event, `${state}${next}`, String(attempts), answer];
}
