import type { Registry } from 'prom-client';
import type { Ledger } from '../../ledger/ledger.ts';
import { type OrderStages, readOrderStages } from '../../ledger/orders/order-stages.ts';
import type { OrderKind } from '../../ledger/webhooks/dispatch.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import type { orderStages } from '../../platform/metrics/order-metrics.ts';
import { registeredCounter, registeredHistogram } from '../../platform/metrics/registered.ts';

/** Orders that were placed and that have ended. */
interface ChangedOrders {
  placed: readonly OrderKind[];
  ended: readonly string[];
}

/** Counts and times orders, which are added as their events are numbered: each event is numbered by one process, once. */
export interface OrderMetrics extends Loop {
  add(orders: ChangedOrders): void;
}

/** Between two readings: a scrape is rarely more frequent, and one reading of many orders is cheaper than many. */
const intervalMs = 5_000;

/** Orders that are read at once. */
const ordersAtOnce = 1_000;

/** Orders that are remembered until they are read. An outage of the database costs the metrics of further ones. */
const mostRemembered = 100_000;

/** Starts to read what is added. A process that ends forgets what it has not read: metrics may miss orders then, never count one twice. */
export function startOrderMetrics({ ledger, log, registry }: { ledger: Ledger; log: Log; registry: Registry }): OrderMetrics {
  const orders = registeredCounter(registry, 'mintrail_orders_total');
  const durations = registeredHistogram(registry, 'mintrail_order_stage_duration_seconds');
  const waiting: string[] = [];
  const turn = async () => {
    const ended = waiting.slice(0, ordersAtOnce);
    for (const stages of await readOrderStages(ledger, ended)) {
      const { chain, kind, state } = stages;
      orders.inc({ chain, kind, state });
      for (const [stage, seconds] of durationsOf(stages)) durations.observe({ chain, kind, stage }, seconds);
    }
    waiting.splice(0, ended.length);
    return waiting.length > 0 ? 0 : intervalMs;
  };
  return {
    ...startLoop({ name: 'order metrics', intervalMs, log, turn }),
    add({ placed, ended }) {
      for (const { chain, kind } of placed) orders.inc({ chain, kind, state: 'placed' });
      if (waiting.length < mostRemembered) waiting.push(...ended);
    },
  };
}

type Stage = (typeof orderStages)[number];

/** Seconds in each stage that an order went through. A leg that was carried out by a transaction of others has no time of sending. */
function durationsOf({ state, placedAt, sentAt, minedAt, confirmedAt, endedAt }: OrderStages): [stage: Stage, seconds: number][] {
  const all: [Stage, Date | null, Date | null][] = [
    ['sent', placedAt, sentAt],
    ['mined', sentAt, minedAt],
    ['confirmed', minedAt, confirmedAt],
    ['processed', confirmedAt, state === 'processed' ? endedAt : null],
  ];
  return all.flatMap(([stage, from, to]) => (from && to ? [[stage, Math.max(0, (to.getTime() - from.getTime()) / 1_000)]] : []));
}
