import type { Registry } from 'prom-client';
import type { Ledger } from '../../ledger/ledger.ts';
import { cancelDeliveries } from '../../ledger/webhooks/attempts.ts';
import { pendingDeliveries } from '../../ledger/webhooks/delivery-queries.ts';
import { dispatchEvents } from '../../ledger/webhooks/dispatch.ts';
import type { Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Settings } from '../../platform/settings.ts';
import { createDeliverer } from '../../webhooks/deliverer.ts';
import { createImportRest } from '../pacing/import-rest.ts';
import { startOrderMetrics } from '../metrics/order-metrics.ts';
import { createWebhookMetrics } from './metrics.ts';
import { startWebhookSender } from './sender.ts';

/** What the webhook worker needs. */
export interface WebhookWorkerDependencies {
  settings: Pick<Settings, 'environment'>;
  ledger: Ledger;
  sealer: Sealer;
  log: Log;
  registry: Registry;
}

/**
 * Between two looks for new events: while anybody has subscribed, and while nobody has, so that only streams of orders wait for them. They wake nobody: at
 * hundreds of orders a second wake-ups would cost more than this.
 */
const dispatchIntervalsMs = { subscribed: 200, unsubscribed: 500 };

/** Events in one transaction: some tens of milliseconds. */
const eventsAtOnce = 1_000;

/** Between two looks for events of all times. The first look is one, so that what waited while no worker ran keeps its order. */
const sweepIntervalMs = 600_000;

/** Between two rounds of upkeep, and where nobody has subscribed and nothing waits. A delivery that is to be cancelled is not sent in the meantime either. */
const upkeepIntervalsMs = { inUse: 5_000, unused: 60_000 };

/** Deliveries cancelled in one transaction. */
const cancelledAtOnce = 1_000;

/** Turns events into deliveries, and sends them to their subscribers (docs/api.md, Deliveries). */
export function createWebhookWorker({ settings, ledger, sealer, log, registry }: WebhookWorkerDependencies): Running {
  const metrics = createWebhookMetrics(registry);
  const deliver = createDeliverer({ environment: settings.environment });
  const orderMetrics = startOrderMetrics({ ledger, log, registry });
  let isSubscribed = true;
  const intervalMs = () => dispatchIntervalsMs[isSubscribed ? 'subscribed' : 'unsubscribed'];
  const sender = startWebhookSender({ ledger, sealer, log, deliver, metrics, isSubscribed: () => isSubscribed });
  const rest = createImportRest(ledger, () => performance.now());
  let [sweepAt, hasMore] = [0, false];
  const dispatch = startLoop({
    name: 'events',
    intervalMs: dispatchIntervalsMs.unsubscribed,
    log,
    async turn() {
      if (!hasMore && rest.leftMs() > 0) return intervalMs();
      const startedAt = performance.now();
      const isSweep = startedAt >= sweepAt;
      const range = isSweep ? 'all' : 'recent';
      const dispatched = await dispatchEvents(ledger, eventsAtOnce, range, { isCertain: hasMore });
      const { events, deliveries, placedOrders, endedOrders } = dispatched;
      if (dispatched.hasSubscriptions && !isSubscribed) upkeep.wake();
      isSubscribed = dispatched.hasSubscriptions;
      if (events === 0) await rest.lookedInVain(performance.now() - startedAt);
      hasMore = events === eventsAtOnce;
      if (isSweep && !hasMore) sweepAt = performance.now() + sweepIntervalMs;
      orderMetrics.add({ placed: placedOrders, ended: endedOrders });
      if (deliveries > 0) sender.wake();
      if (hasMore) dispatch.wake();
      return intervalMs();
    },
  });
  const upkeep = startLoop({
    name: 'webhook upkeep',
    intervalMs: upkeepIntervalsMs.unused,
    log,
    async turn() {
      if ((await cancelDeliveries(ledger, cancelledAtOnce)) === cancelledAtOnce) upkeep.wake();
      const { count, oldestSeconds } = await pendingDeliveries(ledger);
      metrics.pending.set(count);
      metrics.oldest.set(oldestSeconds);
      return isSubscribed || count > 0 ? upkeepIntervalsMs.inUse : upkeepIntervalsMs.unused;
    },
  });
  const loops = [dispatch, upkeep, sender, orderMetrics];
  return {
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}
