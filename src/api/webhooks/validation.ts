import { randomUUID } from 'node:crypto';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { Deliver } from '../../webhooks/deliverer.ts';
import { invalid } from '../http/errors.ts';

/** A receiver that hangs holds a request for ten seconds; so many of one application, and of all, this process waits for. */
const mostOfApplication = 4;
const mostOfAll = 64;

/** When a place is free again at the latest. */
const retryAfterMs = 10_000;

/** Sends `subscription.created` to a URL, signed by the secrets that will sign its deliveries. */
export type ValidateUrl = (application: string, url: string, secrets: readonly string[]) => Promise<void>;

/**
 * The validation of a subscription's URL (docs/api.md, Subscriptions): throws `invalid_request` under `errors.url`, saying what
 * happened, unless the receiver accepts; `RateLimited` when too many validations are under way here.
 */
export function createValidateUrl(deliver: Deliver): ValidateUrl {
  const underWay = new Map<string, number>();
  let all = 0;
  return async (application, url, secrets) => {
    const own = underWay.get(application) ?? 0;
    if (own >= mostOfApplication || all >= mostOfAll)
      throw new RateLimited('Too many webhook URLs are being validated: wait for the answers to the requests before', retryAfterMs);
    underWay.set(application, own + 1);
    all += 1;
    try {
      const body = JSON.stringify({ type: 'subscription.created', timestamp: new Date().toISOString() });
      const { ok, reason } = await deliver({ url, id: randomUUID(), body, secrets });
      if (!ok) throw invalid({ url: `did not accept the delivery of subscription.created: ${reason}` });
    } finally {
      const left = (underWay.get(application) ?? 1) - 1;
      if (left === 0) underWay.delete(application);
      else underWay.set(application, left);
      all -= 1;
    }
  };
}
