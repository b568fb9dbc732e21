import type { Context } from 'hono';
import { createLimitStores, openOwnLimitStore } from '../../platform/limits/rate-limit-store.ts';
import { createRateLimiter, RateLimited, type RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { rateLimits, type Settings } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';
import { clientNetwork } from './client-network.ts';

/** Limits by who calls (docs/api.md, Rate limits). */
export interface RateLimits {
  /** Limits requests without a valid token, by network address. Comes before everything else. */
  address: Middleware;
  /** Limits requests by application. Comes after the bearer token. */
  application: Middleware;
}

/**
 * Load balancers and monitoring call these. They have counts of their own, so that no other request from the same address keeps them away,
 * and each process counts by itself, because they are answered while the store is down.
 */
const healthPath = /^\/health\//;

const tokenPath = '/auth/token';

/** The limits of the settings, shared by all copies of the API. */
export function createRateLimits({ settings, log }: Pick<ApiDependencies, 'settings' | 'log'>): RateLimits {
  const open = createLimitStores(settings, log);
  const limits = rateLimits(settings);
  const limiter = (name: string, limit: number) => createRateLimiter(open(name, limit), limit);
  const health = createRateLimiter(openOwnLimitStore(limits.address), limits.address);
  const [applications, addresses, failures] = [
    limiter('application', limits.application),
    limiter('address', limits.address),
    limiter('failed-login', limits.failedLogins),
  ];
  return {
    application: async (context, next) => {
      const wait = applications.take(context.var.caller.application);
      requireRoom(typeof wait === 'number' ? wait : await wait, 'This application sends too many requests');
      await next();
    },
    address: limits.address === 0 && limits.failedLogins === 0 ? pass : byAddress(settings, { addresses, failures, health }),
  };
}

const pass: Middleware = (_, next) => next();

function byAddress(
  settings: Settings,
  { addresses, failures, health }: Record<'addresses' | 'failures' | 'health', RateLimiter>,
): Middleware {
  const text = 'Too many requests come from this network address';
  return async (context, next) => {
    const address = clientNetwork(context, settings.trustedProxies);
    if (healthPath.test(context.req.path)) {
      requireRoom(await health.take(address), text);
      return next();
    }
    const isLogin = context.req.path === tokenPath;
    if (isLogin) requireRoom(await failures.check(address), 'Too many requests with wrong credentials come from this network address');
    // Whether a token is valid is known only afterwards. Before, a request with a token is turned away only if its address is at its limit.
    const hasToken = context.req.header('Authorization') !== undefined;
    requireRoom(hasToken ? addresses.wait(address) : await addresses.take(address), text);
    await next();
    if (hasToken && (context.var.caller as ApiEnv['Variables']['caller'] | undefined) === undefined) await addresses.take(address);
    if (isLogin && (await isWrongCredentials(context))) await failures.take(address);
  };
}

function requireRoom(waitMs: number, message: string): void {
  if (waitMs > 0) throw new RateLimited(`${message}: try again in ${Math.ceil(waitMs / 1000)} s`, waitMs);
}

/** Whether the token endpoint rejected the client, its secret, the code or the refresh token (RFC 6749, section 5.2). */
async function isWrongCredentials({ res }: Context<ApiEnv>): Promise<boolean> {
  if (res.status !== 400) return false;
  const { error } = (await res.clone().json()) as { error?: string };
  return error === 'invalid_client' || error === 'invalid_grant';
}
