import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelDeliveries } from '../../../src/ledger/webhooks/attempts.ts';
import { claimDeliveries } from '../../../src/ledger/webhooks/claims.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { replayDeliveries } from '../../../src/ledger/webhooks/replay.ts';
import { listDeliveries, subscriptionHealth } from '../../../src/ledger/webhooks/delivery-queries.ts';
import { pauseSubscription } from '../../../src/ledger/webhooks/receiver-pause.ts';
import { changeSubscription, deactivateSubscription, deleteSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { healthColumns } from '../../../src/operations/webhooks/subscription-view.ts';
import { isFailing, subscriberProblems } from '../../../src/problems/subscriber-problems.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createDeliverer } from '../../../src/webhooks/deliverer.ts';
import { createWebhookMetrics } from '../../../src/workers/webhooks/metrics.ts';
import { afterFailure, type FailedAttempt } from '../../../src/workers/webhooks/schedule.ts';
import { startWebhookSender, type WebhookSenderDependencies } from '../../../src/workers/webhooks/sender.ts';
import { createWebhookWorker } from '../../../src/workers/webhooks/webhooks.ts';
import { type Answer, startWebhookReceiver, type WebhookReceiver, type WebhookReceiverOptions } from '../../support/webhooks/receiver.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { until } from '../../support/until.ts';
import { createWebhookLedger, newSecret, type WebhookLedger } from '../../support/webhooks/webhook-ledger.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createWebhookLedger);
const secret = newSecret();
const open: { close(): Promise<void> }[] = [];

beforeEach(() => world.clear());
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const log = createLog('silent');

const after = ({ attempt }: FailedAttempt) => (attempt < 10 ? { retryIn: 0.02 } : ('failed' as const));

/** Longer than a test may take: who waited for a receiver that does not answer, or for a lease to end, would never end. */
const longMs = 600_000;

/** A worker whose pauses are short, so that hours become moments; everything else is as in production. */
function startWorker({ timeoutMs = longMs, ...given }: Partial<WebhookSenderDependencies> & { timeoutMs?: number } = {}) {
  const registry = new Registry();
  const deliver = createDeliverer({ environment: 'sandbox', timeoutMs });
  const metrics = createWebhookMetrics(registry);
  const sender = startWebhookSender({
    ledger: world.ledger,
    sealer: testSealer,
    log,
    deliver,
    metrics,
    after,
    leaseSeconds: longMs / 1_000,
    closeTimeoutMs: 500,
    ...given,
  });
  open.push(sender);
  return { sender, registry };
}

async function receiver(decide: WebhookReceiverOptions['decide'] = () => 200): Promise<WebhookReceiver> {
  const started = await startWebhookReceiver({ secret, decide });
  open.push(started);
  return started;
}

const subscribe = (url: string, given: Parameters<WebhookLedger['subscribe']>[1] = {}) => world.subscribe(url, { secret, ...given });
const dispatch = () => dispatchEvents(world.ledger, 10_000);
const ended = (subscription?: string) =>
  until('every delivery has ended', async () => {
    const rows = (await world.deliveries()).filter((one) => subscription === undefined || one.subscription === subscription);
    return rows.length > 0 && rows.every(({ state }) => state !== 'pending') ? rows : undefined;
  });

describe('the delivery of webhooks', () => {
  it('finds what happens by itself, and counts what it delivers', async () => {
    const { url, received } = await receiver();
    await subscribe(url());
    const registry = new Registry();
    const lines: string[] = [];
    const kept = createLog('info', {}, { write: (line) => lines.push(line) });
    open.push(createWebhookWorker({ settings: { environment: 'sandbox' }, ledger: world.ledger, sealer: testSealer, log: kept, registry }));
    const order = randomUUID();
    const created = await world.orderEvent(order, 'order.created');
    const updated = await world.orderEvent(order);
    const rows = await ended();
    expect(received.map(({ id }) => id)).toEqual([created, updated]);
    expect(rows.map(({ history }) => history)).toEqual([1, 1].map(() => [expect.objectContaining({ status: 200 })]));
    const metrics = await registry.metrics();
    expect(metrics).toContain('mintrail_webhook_attempts_total{outcome="delivered"} 2');
    expect(metrics).toContain('mintrail_webhook_attempt_duration_seconds_count 2');
    expect(metrics).toMatch(/^mintrail_webhook_deliveries_pending \d+$/m);
    expect(metrics).toMatch(/^mintrail_webhook_delivery_oldest_seconds \d+$/m);
    const logged = lines.map((line) => JSON.parse(line) as object);
    for (const eventId of [created, updated])
      expect(logged).toContainEqual(
        expect.objectContaining({ msg: 'event delivered', eventId, orderId: order, correlationId: 'a-request', status: 200 }),
      );
  });

  it('names a receiver that answers only errors, with what it answers and since when', async () => {
    const { url } = await receiver(() => 500);
    const subscription = await subscribe(url());
    await world.orderEvent(randomUUID());
    await dispatch();
    const { sender } = startWorker({ after: afterFailure });
    await until('it was tried', async () => (await world.deliveries()).find(({ lastStatus }) => lastStatus === 500));
    open.splice(open.indexOf(sender), 1);
    await sender.close();
    const named = async () =>
      subscriberProblems(
        (await subscriptionHealth(world.ledger)).filter((health) => health.subscription === subscription),
        new Date(),
      );
    // Since when it is tried counts.
    await sql`update webhook_deliveries set age_begins_at = now() - interval '2 hours' where subscription = ${subscription}`.execute(
      world.ledger,
    );
    const [problem, ...others] = await named();
    expect(others).toEqual([]);
    expect(problem?.text).toContain(
      `the receiver ${new URL(url()).origin} does not take its events (answered 500): 1 wait, and 0 were given up`,
    );
    expect(Date.now() - (problem?.since.getTime() ?? 0)).toBeGreaterThanOrEqual(7_199_000);
    await deactivateSubscription(world.ledger, subscription, { url: url(), reason: 'gone' });
    expect(await named()).toEqual([]);
  });

  it('brings the events of each subject in their order through random failures, and repeats only under the same id', async () => {
    const seed = Date.now() % 100_000;
    const random = seededRandom(seed);
    const answers: Answer[] = [500, 'reset', 404, 302];
    const { url, accepted, received } = await receiver(async () => {
      await delay(random() * 10);
      return random() < 0.4 ? (answers[Math.floor(random() * answers.length)] as Answer) : 200;
    });
    await subscribe(url());
    startWorker();
    startWorker();
    const orders = Array.from({ length: 12 }, () => randomUUID());
    const happened = new Map<string, string[]>(orders.map((order) => [order, []]));
    for (let step = 0; step < 5; step += 1) {
      for (const order of orders) happened.get(order)?.push(await world.orderEvent(order));
      await dispatch();
      await delay(50);
    }
    const rows = await ended();
    // One in ten thousand has ten failures.
    expect(rows.filter(({ state }) => state !== 'delivered').length, `seed ${seed}`).toBeLessThan(2);
    for (const [order, events] of happened) {
      const told = received.filter(({ subject }) => subject === order).map(({ id }) => id);
      // An event may come again and again, and never after a later one.
      expect(
        told.filter((id, index) => id !== told[index - 1]),
        `seed ${seed}`,
      ).toEqual(events);
    }
    const bodies = new Map<string, Set<string>>();
    for (const { id, body } of received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    expect([...bodies.values()].every((set) => set.size === 1)).toBe(true);
    expect(new Set(accepted().map(({ id }) => id)).size).toBe(accepted().length);
  });

  it('delays nobody for a receiver that hangs', async () => {
    const hanging = await Promise.all(Array.from({ length: 5 }, () => receiver(() => 'hang')));
    for (const { url } of hanging) await subscribe(url());
    const good = await receiver();
    const subscription = await subscribe(good.url());
    for (let count = 0; count < 100; count += 1) await world.orderEvent(randomUUID());
    await dispatch();
    startWorker();
    await ended(subscription);
    const others = (await world.deliveries()).filter((row) => row.subscription !== subscription);
    expect(others.flatMap(({ history }) => history)).toEqual([]);
    expect(good.received).toHaveLength(100);
    // Each hanging receiver holds no more than a beginner's places.
    expect(Math.max(...hanging.map(({ received }) => received.length))).toBeLessThanOrEqual(2);
  });

  it('gives up after ten attempts, lets the next one of the subject go, and keeps what happened', async () => {
    const order = randomUUID();
    const first = await world.orderEvent(order, 'order.created');
    const { url, received } = await receiver(({ id }) => (id === first ? 503 : 200));
    await subscribe(url());
    // It was selected after the first had happened: only a dispatch makes deliveries.
    const second = await world.orderEvent(order);
    await dispatch();
    const { registry } = startWorker();
    const rows = await ended();
    expect(rows.map(({ state, attempts, lastStatus }) => [state, attempts, lastStatus])).toEqual([
      ['failed', 10, 503],
      ['delivered', 1, 200],
    ]);
    expect(received.map(({ id }) => id)).toEqual([...Array.from({ length: 10 }, () => first), second]);
    expect(rows[0]?.history).toHaveLength(10);
    expect(rows[0]?.history.at(-1)).toEqual({
      at: expect.stringMatching(/Z$/),
      status: 503,
      error: 'answered 503',
      duration: expect.any(Number),
    });
    expect(await registry.getSingleMetricAsString('mintrail_webhook_attempts_total')).toMatch(
      /outcome="failed"} 1\n.*outcome="delivered"} 1|outcome="retried"} 9/,
    );
  });

  it('replays one that was given up, under the same id, with attempts of its own', async () => {
    let isUp = false;
    const { url, accepted } = await receiver(() => (isUp ? 200 : 500));
    const subscription = await subscribe(url());
    const event = await world.orderEvent(randomUUID());
    await dispatch();
    startWorker();
    await ended();
    isUp = true;
    const chosen = { subscription, state: 'failed', since: new Date(Date.now() - 60_000) } as const;
    expect(await replayDeliveries(world.ledger, chosen, 10)).toHaveLength(1);
    const [row] = await ended();
    expect(row).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(accepted().map(({ id }) => id)).toEqual([event]);
    expect(await replayDeliveries(world.ledger, chosen, 10)).toEqual([]);
  });

  it('takes over what a dead worker had begun, once its lease has ended', async () => {
    const { url, received } = await receiver();
    await subscribe(url());
    await world.orderEvent(randomUUID());
    await dispatch();
    // A worker claims it, sends it, and dies before it has recorded that.
    const slots = { limit: 10, failingLimit: 5, slots: [], otherSlots: 2, leaseSeconds: 600 };
    const { claimed } = await claimDeliveries(world.ledger, testSealer, slots);
    expect(claimed).toHaveLength(1);
    expect((await claimDeliveries(world.ledger, testSealer, slots)).claimed).toEqual([]);
    await sql`update webhook_deliveries set next_attempt_at = now()`.execute(world.ledger);
    startWorker();
    const [row] = await ended();
    expect(row).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(received.map(({ id }) => id)).toEqual([claimed[0]?.event.id]);
  });

  it('shares the work between workers and sends nothing twice', async () => {
    const { url, received } = await receiver();
    await subscribe(url());
    for (let count = 0; count < 100; count += 1) await world.orderEvent(randomUUID());
    await dispatch();
    for (let count = 0; count < 3; count += 1) startWorker();
    await ended();
    expect(received).toHaveLength(100);
    expect(new Set(received.map(({ id }) => id)).size).toBe(100);
  });

  it('signs with the secret before beside the new one while that still counts', async () => {
    const { url, received } = await receiver();
    const subscription = await subscribe(url(), { secret: newSecret() });
    await changeSubscription(world.ledger, testSealer, world.partner, subscription, { secret });
    await world.orderEvent(randomUUID());
    await dispatch();
    startWorker();
    await ended();
    expect(received.map(({ signatures }) => signatures)).toEqual([2]);
  });

  it.each(['inactive', 'deleted'] as const)('sends nothing more to a subscription that is %s', async (state) => {
    const [{ url, received }, other] = [await receiver(() => 500), await receiver(() => 500)];
    const subscription = await subscribe(url());
    await subscribe(other.url());
    await world.orderEvent(randomUUID());
    await dispatch();
    startWorker({ after: () => ({ retryIn: 0.2 }) });
    await until('it was tried', async () => received[0]);
    if (state === 'deleted') await deleteSubscription(world.ledger, world.partner, subscription);
    else await changeSubscription(world.ledger, testSealer, world.partner, subscription, { state });
    const attemptsOfOther = other.received.length;
    // One attempt may have been under way.
    await until('another is tried again', async () => other.received[attemptsOfOther]);
    const before = received.length;
    await until('and again', async () => other.received[attemptsOfOther + 3]);
    expect(received).toHaveLength(before);
    await cancelDeliveries(world.ledger, 10);
    const rows = (await world.deliveries()).filter((row) => row.subscription === subscription);
    expect(rows.map((row) => row.state)).toEqual(['cancelled']);
  });

  it('ends a subscription whose receiver answers 410, says why, and begins again when its application says so', async () => {
    const { url, received } = await receiver(() => 410);
    const subscription = await subscribe(url());
    await world.orderEvent(randomUUID());
    await dispatch();
    startWorker();
    const [row] = await ended();
    expect(row).toMatchObject({ state: 'failed', attempts: 1, lastStatus: 410 });
    const health = async () => (await subscriptionHealth(world.ledger)).map(({ state, inactiveReason }) => [state, inactiveReason]);
    await until('it is inactive', async () => (await health())[0]?.[0] === 'inactive' || undefined);
    expect(await health()).toEqual([['inactive', 'its receiver answered 410 (Gone)']]);
    await world.orderEvent(randomUUID());
    await dispatch();
    expect(received).toHaveLength(1);
    await changeSubscription(world.ledger, testSealer, world.partner, subscription, { state: 'active' });
    expect(await health()).toEqual([['active', null]]);
  });

  it('does not end a subscription that has moved away from the receiver that is gone', async () => {
    const { url } = await receiver(() => 410);
    const subscription = await subscribe(url());
    expect(await deactivateSubscription(world.ledger, subscription, { url: url('/before'), reason: 'gone' })).toBe(false);
    expect(await deactivateSubscription(world.ledger, subscription, { url: url(), reason: 'gone' })).toBe(true);
  });

  it('waits as long as a receiver asks', async () => {
    const { url } = await receiver(() => ({ status: 429, headers: { 'Retry-After': '3600' } }));
    await subscribe(url());
    await world.orderEvent(randomUUID());
    await dispatch();
    startWorker({ after: afterFailure });
    const row = await until('it was tried', async () => (await world.deliveries()).find(({ lastStatus }) => lastStatus === 429));
    expect(row.nextAttemptAt.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it('sends a receiver nothing else either, until the time that it asks for has passed or it is another one', async () => {
    const { url, received } = await receiver(() => ({ status: 503, headers: { 'Retry-After': '3600' } }));
    const subscription = await subscribe(url());
    const other = await receiver();
    await subscribe(other.url());
    const first = await world.orderEvent(randomUUID());
    await dispatch();
    const worker = startWorker({ after: afterFailure });
    await until('it was tried', async () => (await world.deliveries()).find(({ lastStatus }) => lastStatus === 503));
    for (let count = 0; count < 5; count += 1) await world.orderEvent(randomUUID());
    await dispatch();
    worker.sender.wake();
    await until('another receiver has them all', async () => other.received[5]);
    expect(received.map(({ id }) => id)).toEqual([first]);
    const claim = async () => {
      const { claimed } = await claimDeliveries(world.ledger, testSealer, {
        limit: 10,
        failingLimit: 5,
        slots: [],
        otherSlots: 9,
        leaseSeconds: 600,
      });
      return claimed.length;
    };
    open.splice(open.indexOf(worker.sender), 1);
    await worker.sender.close();
    expect(await claim()).toBe(0);
    const paused = (await subscriptionHealth(world.ledger)).find((health) => health.subscription === subscription);
    expect(paused && healthColumns.state(paused)).toContain('active: its receiver asked for a pause until 20');
    expect(paused && isFailing(paused)).toBe(true);
    const { rows } = await listDeliveries(world.ledger, { subscription }, { limit: 10 });
    expect(rows.map(({ attempts, isHeld }) => [attempts, isHeld])).toEqual([...Array.from({ length: 5 }, () => [0, true]), [1, false]]);
    for (const { nextAttemptAt } of rows.slice(0, 5)) expect(nextAttemptAt).toEqual(paused?.pausedUntil);
    // No receiver holds anything for longer than deliveries are tried.
    const held = sql`update webhook_deliveries set next_attempt_at = next_attempt_at - interval '12 hours' where id = (
      select id from webhook_deliveries where subscription = ${subscription} and attempts = 0 limit 1)`;
    await held.execute(world.ledger);
    expect((await listDeliveries(world.ledger, { subscription }, { limit: 10 })).rows.filter(({ isHeld }) => isHeld)).toHaveLength(4);
    expect(await claim()).toBe(1);
    expect(await pauseSubscription(world.ledger, subscription, { url: url('/before'), seconds: 7_200 })).toBe(false);
    await changeSubscription(world.ledger, testSealer, world.partner, subscription, { url: url('/new') });
    // That which was answered so goes on with the others.
    expect(await claim()).toBe(5);
  });

  it.each(['by its id', 'with its subscription'] as const)('is sent again %s although its receiver asked to be left alone', async (how) => {
    const { url, received } = await receiver();
    const subscription = await subscribe(url());
    const event = await world.orderEvent(randomUUID());
    await dispatch();
    await pauseSubscription(world.ledger, subscription, { url: url(), seconds: 3_600 });
    const [delivery] = await world.deliveries();
    await sql`update webhook_deliveries set attempts = 1`.execute(world.ledger);
    const choice = how === 'by its id' ? { ids: [delivery?.id as string] } : { subscription, state: 'pending' as const };
    expect(await replayDeliveries(world.ledger, choice, 10)).toEqual([delivery?.id]);
    startWorker();
    await ended();
    expect(received.map(({ id }) => id)).toEqual([event]);
  });

  it('has all its attempts, however long another holds it up between them', async () => {
    const { url } = await receiver();
    await subscribe(url());
    await world.orderEvent(randomUUID());
    await dispatch();
    // Tried an hour before it was due again, and that was twelve hours ago.
    const heldUp = sql`update webhook_deliveries set attempts = 2, next_attempt_at = now() - interval '12 hours', age_begins_at = now() - interval '13 hours'`;
    await heldUp.execute(world.ledger);
    const [claimed] = (
      await claimDeliveries(world.ledger, testSealer, { limit: 1, failingLimit: 1, slots: [], otherSlots: 1, leaseSeconds: 600 })
    ).claimed;
    expect(claimed).toMatchObject({ attempt: 3, age: 3_600 });
  });

  it('gives back what is under way when it stops and the receiver does not answer', async () => {
    const { url } = await receiver(() => 'hang');
    await subscribe(url());
    await world.orderEvent(randomUUID());
    await dispatch();
    const { sender } = startWorker();
    await until('it is under way', async () => (await world.deliveries()).find(({ lease }) => lease !== null));
    open.splice(open.indexOf(sender), 1);
    await sender.close();
    const [row] = await world.deliveries();
    expect(row).toMatchObject({ state: 'pending', lease: null, attempts: 1 });
    expect(row?.nextAttemptAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  });
});
