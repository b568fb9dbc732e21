import { randomUUID } from 'node:crypto';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { Deliver } from '../../webhooks/deliverer.ts';
import { invalid } from '../http/errors.ts';

/** Concurrent validations of one application, and of all, in this process: a receiver that hangs holds its request for ten seconds. */
const maxPerApplication = 4;
const maxPerProcess = 64;

/** By then a validation has ended. */
const retryAfterMs = 10_000;

/** Sends `subscription.created` to a URL, signed by the secrets that will sign its deliveries. */
export type ValidateUrl = (application: string, url: string, secrets: readonly string[]) => Promise<void>;

/**
 * Creates the validation of subscriptions' URLs (docs/api.md, Subscriptions). It throws `invalid_request` under `url`, with the reason, unless
 * the receiver accepts the delivery, and `rate_limited` when too many validations are in flight.
 */
export function createValidateUrl(deliver: Deliver): ValidateUrl {
  const inFlight = new Map<string, number>();
  let total = 0;
  return async (application, url, secrets) => {
    const own = inFlight.get(application) ?? 0;
    if (own >= maxPerApplication || total >= maxPerProcess)
      throw new RateLimited('Too many webhook URLs are being validated: wait for the answers to earlier requests', retryAfterMs);
    inFlight.set(application, own + 1);
    total += 1;
    try {
      const body = JSON.stringify({ type: 'subscription.created', timestamp: new Date().toISOString() });
      const { ok, reason } = await deliver({ url, id: randomUUID(), body, secrets });
      if (!ok) throw invalid({ url: `did not accept the delivery of subscription.created: ${reason}` });
    } finally {
      const left = (inFlight.get(application) ?? 1) - 1;
      if (left === 0) inFlight.delete(application);
      else inFlight.set(application, left);
      total -= 1;
    }
  };
}
