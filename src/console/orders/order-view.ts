import { findProfileName } from '../../ledger/customers/profile-search.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { StopError } from '../../platform/errors.ts';
import type { Settings } from '../../platform/settings.ts';
import { readView } from '../../operations/view.ts';
import { deliveries } from '../../operations/webhooks/delivery-view.ts';
import { readProblems } from '../../problems/read-status.ts';
import { describeAwaited } from '../../trace/leg-wait-text.ts';
import { problemsOfOrder } from '../../trace/order-problems.ts';
import { type OrderStory, readOrderStory } from '../../trace/order-story.ts';
import { storyJson } from '../../trace/story-json.ts';

/** Deliveries of an order that are shown, the latest. */
const mostDeliveries = 100;

/**
 * All that is known of an order: the way of its money, what it waits for, its history and its deliveries. Throws `not_found`.
 */
export async function readOrderView({ ledger, settings }: { ledger: Ledger; settings: Settings }, id: string) {
  const story = await readOrderStory(ledger, id);
  if (story === undefined) throw new StopError({ code: 'not_found', message: `There is no order ${id}` });
  const { order, credits, legs, payments, entries, events } = storyJson(story);
  return {
    order: {
      id: order.id,
      kind: order.kind,
      state: order.state,
      chain: order.chain,
      address: order.address,
      currency: order.currency,
      amount: order.amount,
      placedAt: order.placedAt,
      processedAt: order.processedAt,
      rejectedAt: order.rejectedAt,
      rejectedReason: order.rejectedReason,
      correlationId: order.correlationId,
      sourceOrder: order.sourceOrder,
      dependentOrders: order.dependentOrders,
      givesBack: order.givesBack,
      givenBackBy: order.givenBackBy,
      profile: order.profile,
      profileName: (await findProfileName(ledger, order.profile)) ?? '',
      counterpart: order.counterpart,
      memo: order.memo,
      referenceNumber: order.referenceNumber,
      message: order.message,
    },
    credits,
    legs,
    payments,
    entries,
    ...(await readWaits({ ledger, settings }, story)),
    history: events,
    deliveries: await readDeliveries(ledger, id),
  };
}

/** What an open order waits for, what is wrong where it waits, and whether it waits for an operator alone. */
async function readWaits({ ledger, settings }: { ledger: Ledger; settings: Settings }, { order, waits }: OrderStory) {
  if (order.state !== 'placed' && order.state !== 'pending') return { waits: [], problems: [], isStuck: false };
  const stuck = await stuckOrders(ledger);
  const { problems } = waits.length === 0 ? { problems: [] } : await readProblems(ledger, settings);
  return {
    waits: waits.map((wait) => ({
      kind: wait.kind,
      chain: wait.chain,
      since: wait.since,
      failures: wait.failures,
      /** Goes on behind "waits for"; times in it are ISO 8601. */
      awaited: describeAwaited(wait, (at) => at.toISOString()),
    })),
    problems: problemsOfOrder(problems, { order: order.id, waits }).map(({ kind, since, text }) => ({ kind, since, text })),
    isStuck: stuck.some(({ id }) => id === order.id),
  };
}

async function readDeliveries(ledger: Ledger, subject: string) {
  const { rows } = await readView(deliveries, ledger, { subject }, mostDeliveries);
  return rows.map(({ id, subscription, type, state, attempts, createdAt, endedAt, lastStatus, lastError, nextAttemptAt }) => ({
    id,
    subscription,
    type,
    state,
    attempts,
    createdAt,
    endedAt,
    lastStatus,
    lastError,
    nextAttemptAt,
  }));
}
