import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '../../ledger/ledger.ts';
import { type AfterAttempt, giveBackLeases, recordAttempt } from '../../ledger/webhooks/attempts.ts';
import { type ClaimedDelivery, claimDeliveries } from '../../ledger/webhooks/claims.ts';
import { pauseSubscription } from '../../ledger/webhooks/receiver-pause.ts';
import { deactivateSubscription } from '../../ledger/webhooks/subscriptions.ts';
import type { Log } from '../../platform/log.ts';
import { recordSpan } from '../../platform/tracing/spans.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { eventBody } from '../../wire/event.ts';
import type { Deliver, DeliveryResult } from '../../webhooks/deliverer.ts';
import type { WebhookMetrics } from './metrics.ts';
import { afterFailure, type FailedAttempt, schedule } from './schedule.ts';
import { createSlots } from './slots.ts';

/** What the sender of deliveries needs. */
export interface WebhookSenderDependencies {
  ledger: Ledger;
  /** Opens the secrets that sign. */
  sealer: Sealer;
  log: Log;
  deliver: Deliver;
  metrics: WebhookMetrics;
  /** Whether anybody has subscribed: while nobody has, no delivery is due. By default somebody has. */
  isSubscribed?: () => boolean;
  /** What follows a failed attempt. By default {@link afterFailure}. */
  after?: (failed: FailedAttempt) => AfterAttempt;
  leaseSeconds?: number;
  /** How long closing waits for attempts in flight. */
  closeTimeoutMs?: number;
}

/** Between two looks for due deliveries: retries become due without a wake-up. New ones wake the sender of the process that dispatches them. */
const intervalMs = 1_000;

/** Twice what an attempt may take: a worker that has not recorded it by then has ended. */
const defaultLeaseSeconds = 20;

/** `total` bounds memory, sockets being cheap; `most` spares receivers, which are often small machines. */
const limits = { total: 256, most: 16, first: 2 };

/** Less than the 8 s that a process has to end. */
const defaultCloseTimeoutMs = 6_000;

/** From one claim to the next: every delivery that ends wakes the loop, and one claim serves all that end within this time. */
const claimDebounceMs = 20;

/**
 * Sends due deliveries until closed: each at least once, and those of one subject in order. Attempts in flight are then finished, or
 * their leases given back.
 */
export function startWebhookSender(deps: WebhookSenderDependencies): Loop {
  const {
    ledger,
    sealer,
    log,
    leaseSeconds = defaultLeaseSeconds,
    closeTimeoutMs = defaultCloseTimeoutMs,
    isSubscribed = () => true,
  } = deps;
  const slots = createSlots(limits);
  const inFlight = new Map<string, Promise<void>>();

  async function attempt(claim: ClaimedDelivery): Promise<void> {
    slots.take(claim.subscription);
    let succeeded = false;
    try {
      succeeded = await sendClaimed(deps, claim);
    } catch (error) {
      log.warn({ ...keysOf(claim), err: error }, 'an attempt was not recorded; the delivery is tried again when its lease ends');
    }
    slots.release(claim.subscription, succeeded);
    inFlight.delete(claim.lease);
    loop.wake();
  }

  const turn = async (): Promise<void> => {
    const [limit, failingLimit] = [slots.free(), slots.freeForFailing()];
    if (limit === 0 || !isSubscribed()) return;
    const options = { limit, failingLimit, slots: slots.known(), otherSlots: limits.first, leaseSeconds };
    const { claimed, postponed } = await claimDeliveries(ledger, sealer, options);
    for (const claim of claimed) inFlight.set(claim.lease, attempt(claim));
    if (claimed.length + postponed === 0) return;
    loop.wake();
    await delay(claimDebounceMs);
  };

  const loop = startLoop({ name: 'webhooks', intervalMs, log, turn });
  return {
    ...loop,
    async close() {
      await loop.close();
      await Promise.race([Promise.all(inFlight.values()), delay(closeTimeoutMs, undefined, { ref: false })]);
      if (inFlight.size > 0) await giveBackLeases(ledger, [...inFlight.keys()]);
    },
  };
}

/** Makes one attempt and records it. Returns whether the receiver accepted it. */
async function sendClaimed(deps: WebhookSenderDependencies, claim: ClaimedDelivery): Promise<boolean> {
  const { ledger, log, metrics, after = afterFailure } = deps;
  const { attempt, age } = claim;
  const startedAt = Date.now();
  const at = new Date(startedAt).toISOString();
  // The worker that made its last attempt ended before it recorded that.
  const result = attempt > schedule.attempts ? interrupted : await sign(deps, claim);
  const { status, milliseconds: duration, retryAfterSeconds } = result;
  const next = endOf(result) ?? after({ attempt, ageSeconds: age + duration / 1_000, retryAfterSeconds });
  const record = { at, ...(status !== undefined && { status }), ...(!result.ok && { error: result.reason }), duration };
  metrics.seconds.observe(duration / 1_000);
  metrics.attempts.inc({ outcome: typeof next === 'object' ? 'retried' : next });
  const isEnded = status === gone && (await deactivateSubscription(ledger, claim.subscription, { url: claim.url, reason: goneReason }));
  // Before the attempt is recorded: then the next claim knows it.
  if (asksForPause(result)) await pauseSubscription(ledger, claim.subscription, { url: claim.url, seconds: result.retryAfterSeconds });
  const recorded = await recordAttempt(ledger, claim, record, next);
  if (recorded && result.ok) metrics.delivered(claim.event);
  recordAttemptSpan(claim, result, startedAt);
  const facts = { ...keysOf(claim), attempt, status, ms: duration };
  if (isEnded) log.error(facts, `a subscription is inactive from now on: ${goneReason}`);
  if (result.ok) log.info(facts, 'event delivered');
  else if (next !== 'failed') log.info({ ...facts, reason: result.reason }, 'a delivery failed; it is tried again');
  else if (recorded)
    log.error(
      { ...facts, reason: result.reason },
      'a delivery failed for good: once its receiver works again, `mintrail webhook replay` sends it again',
    );
  return result.ok;
}

async function sign({ log, deliver }: WebhookSenderDependencies, claim: ClaimedDelivery): Promise<DeliveryResult> {
  const { url, secrets, event } = claim;
  if (Array.isArray(secrets)) return deliver({ url, id: event.id, body: JSON.stringify(eventBody(event)), secrets });
  log.error({ ...keysOf(claim), err: secrets }, 'a delivery cannot be signed');
  return { ok: false, reason: 'the service cannot sign: set a new secret', milliseconds: 0 };
}

/** By this status a receiver ends its subscription (Standard Webhooks, RFC 9110, section 15.5.11). */
const gone = 410;
const goneReason = 'its receiver answered 410 (Gone)';

/** Whether a receiver asks to be left alone as a whole (RFC 9110, section 10.2.3, RFC 6585, section 4). */
function asksForPause(result: DeliveryResult): result is DeliveryResult & { retryAfterSeconds: number } {
  return (result.status === 429 || result.status === 503) && (result.retryAfterSeconds ?? 0) > 0;
}

/** How a delivery ends by an attempt after which there is none, whatever the schedule says. */
function endOf({ ok, status }: DeliveryResult): 'delivered' | 'failed' | undefined {
  if (ok) return 'delivered';
  return status === gone ? 'failed' : undefined;
}

const interrupted: DeliveryResult = { ok: false, reason: 'the worker ended during the last attempt', milliseconds: 0 };

/** In the trace of the order that the event is about; any other event has a trace of its own. */
function recordAttemptSpan({ id, subscription, event, attempt }: ClaimedDelivery, result: DeliveryResult, startedAt: number): void {
  const isOrder = event.type === 'order.created' || event.type === 'order.updated';
  recordSpan({
    subject: isOrder ? event.data.id : event.id,
    name: 'deliver event',
    kind: 'client',
    startedAt,
    attributes: {
      'mintrail.event': event.type,
      'mintrail.event_id': event.id,
      'mintrail.delivery': id,
      'mintrail.subscription': subscription,
      'mintrail.attempt': attempt,
      'http.response.status_code': result.status,
    },
    failure: result.ok ? undefined : result.reason,
  });
}

function keysOf({ id, subscription, event, correlationId }: ClaimedDelivery) {
  const { type } = event;
  const order = type === 'order.created' || type === 'order.updated' ? { orderId: event.data.id } : {};
  return { deliveryId: id, subscription, eventId: event.id, type, correlationId, ...order };
}
