import type { DeliveryState } from '../../ledger/tables.ts';
import { type DeliveryFilter, type DeliveryView, listDeliveries, subscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';
import { type ReplayChoice, replayDeliveries } from '../../ledger/webhooks/replay.ts';
import { StopError } from '../../platform/errors.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { renderSubscriptions } from './subscriptions.ts';
import { withLedger } from '../with-ledger.ts';

export interface DeliveriesOptions {
  subscription?: string;
  state?: DeliveryState[];
  type?: string[];
  event?: string;
  subject?: string;
  limit: number;
  json?: true;
}

export interface ReplayOptions {
  subscription?: string;
  state: DeliveryState;
  since?: Date;
  json?: true;
}

/** Deliveries in one statement: short transactions, so that workers are not held up. */
const replayedAtOnce = 1_000;

/** `mintrail webhook subscriptions`. */
export async function printSubscriptions(json: boolean): Promise<void> {
  const found = await withLedger(subscriptionHealth);
  if (json) return console.log(renderJson(found));
  if (found.length === 0) return console.log('No subscriptions.');
  console.log(renderSubscriptions(found));
}

/** `mintrail webhook deliveries`. */
export async function printDeliveries({ json, limit, state, type, ...rest }: DeliveriesOptions): Promise<void> {
  const filter: DeliveryFilter = { ...rest, states: state, types: type };
  const { rows, total } = await withLedger((ledger) => listDeliveries(ledger, filter, { limit }));
  if (json) return console.log(renderJson({ deliveries: rows, total }));
  if (rows.length === 0) return console.log('No deliveries.');
  console.log(renderTable(['id', 'made', 'type', 'subject', 'event', 'state', 'attempts', 'last answer'], rows.map(cells)));
  if (total > rows.length) console.log(`\n${rows.length} of ${total}: --limit shows more.`);
}

/** `mintrail webhook replay`. Throws `nothing_to_replay` when nothing fits. */
export async function replay(ids: string[], { subscription, state, since, json }: ReplayOptions): Promise<void> {
  if ((ids.length === 0) === (subscription === undefined))
    throw new StopError({ code: 'nothing_to_replay', message: 'Name deliveries, or a subscription with --subscription' });
  const choice: ReplayChoice = subscription === undefined ? { ids } : { subscription, state, since };
  const replayed = await withLedger(async (ledger) => {
    const all: string[] = [];
    // What is replayed fits no longer, unless it is named or was waiting already.
    for (;;) {
      const some = await replayDeliveries(ledger, choice, replayedAtOnce);
      all.push(...some);
      if (some.length < replayedAtOnce || 'ids' in choice || state === 'pending') return all;
    }
  });
  const missing = ids.filter((id) => !replayed.includes(id));
  if (json) console.log(renderJson({ replayed, missing }));
  else if (replayed.length > 0) console.log(`${replayed.length} ${replayed.length === 1 ? 'delivery goes' : 'deliveries go'} again.`);
  if (missing.length > 0 || replayed.length === 0)
    throw new StopError({
      code: 'nothing_to_replay',
      message: `Not replayed${missing.length > 0 ? `: ${missing.join(', ')}` : ', since nothing fits'}. Only deliveries of active subscriptions go again, and none that is under way`,
    });
}

function cells(delivery: DeliveryView): string[] {
  const { id, createdAt, type, subject, event, state, attempts, nextAttemptAt, lastError, lastStatus } = delivery;
  const answer = lastError ?? (lastStatus === null ? '' : `answered ${lastStatus}`);
  const next = nextAttemptAt === null || attempts === 0 ? '' : `, next ${formatTime(nextAttemptAt)}`;
  return [id, formatTime(createdAt), type, subject, event, `${state}${next}`, String(attempts), answer];
}
