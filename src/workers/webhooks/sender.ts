import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '../../ledger/ledger.ts';
import { type AfterAttempt, giveBackLeases, recordAttempt } from '../../ledger/webhooks/attempts.ts';
import { type ClaimedDelivery, claimDeliveries } from '../../ledger/webhooks/claims.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { eventBody } from '../../wire/event.ts';
import type { Deliver, DeliveryResult } from '../../webhooks/deliverer.ts';
import type { WebhookMetrics } from './metrics.ts';
import { afterFailure, schedule } from './schedule.ts';
import { createSlots } from './slots.ts';

export interface WebhookSenderDependencies {
  ledger: Ledger;
  log: Log;
  deliver: Deliver;
  metrics: WebhookMetrics;
  /** What follows when the nth attempt failed, so many seconds after the first one began. */
  after?: (attempt: number, age: number) => AfterAttempt;
  leaseSeconds?: number;
  /** Milliseconds that closing waits for what is under way. */
  patience?: number;
}

/** Between two looks for what is due: retries and other workers' dispatches wake nobody. */
const intervalMs = 250;

/** Twice what an attempt may take: whoever has not recorded it by then is dead. */
const defaultLeaseSeconds = 20;

/** Sockets are cheap: `all` is there to bound memory, `most` because receivers are often small machines. */
const limits = { all: 256, most: 16, first: 2 };

/** Less than the 8 s that a process has for its end. */
const closePatience = 6_000;

/** Milliseconds from one claim to the next: each ending delivery asks for one, and together they need only one. */
const breath = 20;

/** Sends due deliveries, at least once each, in order within a subject, until closed. What is under way then is finished or given back. */
export function startWebhookSender(deps: WebhookSenderDependencies): Loop {
  const { ledger, log, leaseSeconds = defaultLeaseSeconds, patience = closePatience } = deps;
  const slots = createSlots(limits);
  const underWay = new Map<string, Promise<void>>();

  async function finish(claim: ClaimedDelivery): Promise<void> {
    slots.take(claim.subscription);
    let succeeded = false;
    try {
      succeeded = await sendClaimed(deps, claim);
    } catch (error) {
      log.warn({ ...keysOf(claim), err: error }, 'an attempt was not recorded; the delivery is tried again when its lease ends');
    }
    slots.give(claim.subscription, succeeded);
    underWay.delete(claim.lease);
    loop.wake();
  }

  const turn = async (): Promise<void> => {
    const [limit, failingLimit] = [slots.free(), slots.freeForFailing()];
    if (limit === 0) return;
    const options = { limit, failingLimit, slots: slots.known(), otherSlots: limits.first, leaseSeconds };
    const { claimed, postponed } = await claimDeliveries(ledger, options);
    for (const claim of claimed) underWay.set(claim.lease, finish(claim));
    if (claimed.length + postponed === 0) return;
    loop.wake();
    await delay(breath);
  };

  const loop = startLoop({ name: 'webhooks', intervalMs, log, turn });
  return {
    wake: () => loop.wake(),
    async close() {
      await loop.close();
      await Promise.race([Promise.all(underWay.values()), delay(patience, undefined, { ref: false })]);
      if (underWay.size > 0) await giveBackLeases(ledger, [...underWay.keys()]);
    },
  };
}

/** One attempt, and its record. Returns whether the receiver took it. */
async function sendClaimed(deps: WebhookSenderDependencies, claim: ClaimedDelivery): Promise<boolean> {
  const { ledger, log, deliver, metrics, after = afterFailure } = deps;
  const { url, secrets, event, attempt, age } = claim;
  const at = new Date().toISOString();
  // Its tenth attempt ended with the worker that made it.
  const outcome =
    attempt > schedule.attempts ? interrupted : await deliver({ url, id: event.id, body: JSON.stringify(eventBody(event)), secrets });
  const next = outcome.ok ? 'delivered' : after(attempt, age + outcome.milliseconds / 1_000);
  const { status, milliseconds: duration } = outcome;
  const record = { at, ...(status !== undefined && { status }), ...(!outcome.ok && { error: outcome.reason }), duration };
  metrics.seconds.observe(duration / 1_000);
  metrics.attempts.inc({ outcome: typeof next === 'object' ? 'retried' : next });
  const recorded = await recordAttempt(ledger, claim, record, next);
  if (next === 'failed' && recorded)
    log.error(
      { ...keysOf(claim), attempts: attempt, reason: outcome.reason },
      'a webhook was given up: when its receiver is mended, mintrail webhook replay sends it again',
    );
  return outcome.ok;
}

const interrupted: DeliveryResult = { ok: false, reason: 'the worker ended during the last attempt', milliseconds: 0 };

function keysOf({ id, subscription, event }: ClaimedDelivery): Record<string, string> {
  return { deliveryId: id, subscription, eventId: event.id, type: event.type };
}
