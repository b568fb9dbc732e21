import type { Context, Next } from 'hono';
import type { Caller } from '../../ledger/access/permissions.ts';
import { createLimitStores, openOwnLimitStore } from '../../platform/limits/rate-limit-store.ts';
import { createFewAtOnce } from '../../platform/limits/few-at-once.ts';
import { createRateLimiter, RateLimited, type RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { rateLimits, type Settings } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';
import type { Identify } from './bearer.ts';
import { maxAnonymousBytes } from './body-limit.ts';
import { clientNetwork } from './client-network.ts';

/** Finds the user of a hosted page's browser, who is signed in or has signed in there before; `undefined` for a stranger or another path. */
export type IdentifyBrowser = (context: Context<ApiEnv>) => Promise<string | undefined>;

/** Limits by who calls (docs/api.md, Rate limits). */
export interface RateLimits {
  /** Limits requests without a valid token, by network address. Comes before everything else. */
  address: Middleware;
  /** Limits questions for methods, by network address. Comes before they are answered. */
  options: Middleware;
  /** Limits requests by application. Comes after the bearer token. */
  application: Middleware;
}

/**
 * Load balancers and monitoring call these. They have counts of their own, so that no other request from the same address keeps them away,
 * and each process counts by itself, because they are answered while the store is down.
 */
const healthPath = /^\/health\//;

/** Where clients prove themselves: wrong credentials count there. */
const loginPaths = new Set(['/auth/token', '/auth/revoke']);

const optionsText = 'Too many requests of the method OPTIONS come from this network address';
const applicationText = 'This application sends too many requests';
const userText = 'Too many requests come from your browsers';
const addressText = 'Too many requests without a valid token or right credentials come from this network address';

/** The limits of the settings, shared by all copies of the API. */
export function createRateLimits(
  { settings, log }: Pick<ApiDependencies, 'settings' | 'log'>,
  identify: Identify,
  identifyBrowser: IdentifyBrowser,
): RateLimits {
  const open = createLimitStores(settings, log);
  const limits = rateLimits(settings);
  const limiter = (name: string, limit: number) => createRateLimiter(open(name, limit), limit);
  const health = createRateLimiter(openOwnLimitStore(limits.address), limits.address);
  const [applications, addresses, options, browsers, failures] = [
    limiter('application', limits.application),
    limiter('address', limits.address),
    // Browsers ask before each request to another address of the API, and nothing tells whether a request with a token follows: as many as an application has.
    limiter('options', limits.application || limits.address),
    limiter('browser', limits.address),
    limiter('failed-login', limits.failedLogins),
  ];
  return {
    options: async (context, next) => {
      if (context.req.method === 'OPTIONS') requireRoom(await options.take(clientNetwork(context, settings.trustedProxies)), optionsText);
      await next();
    },
    application: async (context, next) => {
      const wait = applications.take(context.var.caller.application);
      requireRoom(typeof wait === 'number' ? wait : await wait, applicationText);
      await next();
    },
    address:
      limits.address === 0 && limits.failedLogins === 0
        ? pass
        : byAddress(settings, { identify, identifyBrowser }, { applications, addresses, browsers, failures, health }),
  };
}

const pass: Middleware = (_, next) => next();

/** Token requests, and lookups of browsers, from addresses at their limit that run together: few enough that they cannot use up the database's connections. */
const lookupsAtOnce = 2;

type Limiters = Record<'applications' | 'addresses' | 'browsers' | 'failures' | 'health', RateLimiter>;

/**
 * A request with a valid token is its application's. Any other counts for its address before anything is done for it, so that many at once are no
 * more than the limit.
 *
 * An address at its limit may be shared by others, such as an office or a proxy that is not configured. So what it sends is turned away
 * unless its token, its credentials or the cookie of a hosted page are valid; the latter two are looked up for few requests at once.
 */
function byAddress(
  settings: Settings,
  { identify, identifyBrowser }: { identify: Identify; identifyBrowser: IdentifyBrowser },
  { applications, addresses, browsers, failures, health }: Limiters,
): Middleware {
  const fewAtOnce = createFewAtOnce(lookupsAtOnce);
  const passIfRight = async (context: Context<ApiEnv>, next: Next, waitMs: number): Promise<void> => {
    // A body that is held back keeps no place from others, and one of unknown length is not waited for.
    if (!isAnnouncedShort(context)) requireRoom(waitMs, addressText);
    const { method, raw } = context.req;
    if (raw.body !== null) context.req.raw = new Request(raw, { method, body: await context.req.arrayBuffer() });
    await fewAtOnce(next);
    if (context.res.status !== 200) requireRoom(waitMs, addressText);
  };
  const login = async (context: Context<ApiEnv>, next: Next, address: string): Promise<void> => {
    const wait = await addresses.take(address);
    const failure = await failures.hold(address);
    const waitMs = Math.max(wait, failure.waitMs);
    try {
      await (waitMs > 0 ? passIfRight(context, next, waitMs) : next());
    } finally {
      // Whether the credentials are wrong is known only now.
      if (!(await isWrongCredentials(context))) failure.giveBack();
    }
  };
  const passApplication = async (context: Context<ApiEnv>, next: Next, { application }: Caller): Promise<void> => {
    requireRoom(applications.wait(application), applicationText);
    await next();
    // An endpoint for anyone does not count the application's request itself.
    if (callerOf(context) === undefined) await applications.take(application);
  };
  return async (context, next) => {
    const address = clientNetwork(context, settings.trustedProxies);
    if (healthPath.test(context.req.path)) {
      requireRoom(await health.take(address), addressText);
      return next();
    }
    if (isLogin(context)) return login(context, next, address);
    const caller = await identify(context);
    if (caller !== undefined) return passApplication(context, next, caller);
    const waitMs = await addresses.take(address);
    if (waitMs > 0) {
      const user = hasToken(context) ? undefined : await fewAtOnce(() => identifyBrowser(context));
      if (user === undefined) return requireRoom(waitMs, addressText);
      requireRoom(await browsers.take(user), userText);
    }
    await next();
  };
}

function isLogin(context: Context<ApiEnv>): boolean {
  return loginPaths.has(context.req.path);
}

function isAnnouncedShort({ req }: Context<ApiEnv>): boolean {
  return req.header('Transfer-Encoding') === undefined && Number(req.header('Content-Length') ?? 0) <= maxAnonymousBytes;
}

function hasToken(context: Context<ApiEnv>): boolean {
  return context.req.header('Authorization') !== undefined;
}

function callerOf(context: Context<ApiEnv>): Caller | undefined {
  return context.var.caller;
}

function requireRoom(waitMs: number, message: string): void {
  if (waitMs > 0) throw new RateLimited(`${message}: try again in ${Math.ceil(waitMs / 1000)} s`, waitMs);
}

/** Whether the client, its secret, the code or the token was rejected (RFC 6749, section 5.2). */
async function isWrongCredentials({ res }: Context<ApiEnv>): Promise<boolean> {
  if (res.status !== 400 && res.status !== 401) return false;
  const { error } = (await res.clone().json()) as { error?: string };
  return error === 'invalid_client' || error === 'invalid_grant';
}
