import type { Context } from 'hono';
import { cors } from 'hono/cors';
import { anyPortOf, readOrigins } from '../../ledger/access/applications/origins.ts';
import { messageOf } from '../../platform/errors.ts';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';

/** Answers that are the same for everybody: any page may read them. */
const publicPaths = new Set(['/', '/countries', '/tokens', '/openapi.json', '/.well-known/oauth-authorization-server']);

/** Pages for people, some with cookies, and the endpoint that leads to them (RFC 9700, section 2.6). No other origin's script may read them. */
const pages = /^\/(auth$|(account|authorize|docs|sandbox\/mail)(\/|$))/;

const allowMethods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];
const allowHeaders = ['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'X-Correlation-Id'];
const exposeHeaders = [
  'Idempotency-Replayed',
  'Last-Event-ID',
  'Link',
  'Retry-After',
  'WWW-Authenticate',
  'X-Correlation-Id',
  'X-Total-Count',
];

/** Seconds for which a browser keeps the answer to a preflight. Chromium keeps none for more than two hours. */
const maxAge = 600;

/**
 * Lets the pages of registered origins read answers (docs/api.md, Browsers; Fetch Standard, section 3.2). A preflight carries no token, so
 * it is answered for the origins of every application. The answer to the request itself is readable for those of its own application. Cookies
 * are never allowed.
 */
export function createCrossOrigin(deps: Pick<ApiDependencies, 'ledger' | 'settings' | 'log'>): Middleware {
  const origins = createRegisteredOrigins(deps);
  const forEverybody = cors({ origin: '*', allowMethods, allowHeaders, exposeHeaders, maxAge });
  const preflight = cors({
    origin: async (origin) => ((await origins.has(origin)) ? origin : undefined),
    allowMethods,
    allowHeaders,
    maxAge,
  });
  return async (context, next) => {
    const { path, method } = context.req;
    // Otherwise it is no preflight. The methods of the path are answered, before the limits of other requests: balancers ask for this as a health check.
    if (method === 'OPTIONS' && context.req.header('Access-Control-Request-Method') === undefined) return context.notFound();
    if (publicPaths.has(path)) return forEverybody(context, next);
    if (pages.test(path)) return next();
    if (method === 'OPTIONS') return preflight(context, next);
    await next();
    context.header('Vary', 'Origin', { append: true });
    const origin = context.req.header('Origin');
    if (origin === undefined || !(await mayRead(context, origins, origin))) return;
    context.header('Access-Control-Allow-Origin', origin);
    context.header('Access-Control-Expose-Headers', exposeHeaders.join(', '));
  };
}

/**
 * Whether pages of an origin may read an answer. An error of a request without an application, such as that of an expired token, says
 * nothing of anybody: it is readable for every registered origin, so that a client can renew its token.
 */
async function mayRead(context: Context<ApiEnv>, origins: RegisteredOrigins, origin: string): Promise<boolean> {
  const { caller, clientId } = context.var as Partial<ApiEnv['Variables']>;
  const application = caller?.application ?? clientId?.toLowerCase();
  if (application === undefined && context.res.status < 400) return false;
  // The answer stands already: without the origins it is not readable across origins, and nothing else is wrong with it.
  return origins.has(origin, application).catch(() => false);
}

/** How long what was read is trusted: a change of origins is noticed after this time, as a revoked token is. */
const trustMs = 3_000;

/** The origins that applications registered, as they were at most three seconds ago. */
interface RegisteredOrigins {
  /** Whether the application registered the origin; without an application, whether any did. */
  has(origin: string, application?: string): Promise<boolean>;
}

/**
 * Reads the origins of all applications together, at most every three seconds, however many requests ask. During an outage it goes on
 * with what it read last.
 */
export function createRegisteredOrigins(
  { ledger, settings, log }: Pick<ApiDependencies, 'ledger' | 'settings' | 'log'>,
  now: () => number = () => performance.now(),
): RegisteredOrigins {
  let known: { byApplication: Map<string, readonly string[]>; all: Set<string> } | undefined;
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    readAt = now();
    try {
      const byApplication = await readOrigins(ledger);
      known = { byApplication, all: new Set([...byApplication.values()].flat()) };
    } catch (error) {
      if (known === undefined) throw error;
      log.warn({ err: messageOf(error) }, 'the origins of applications could not be read; those that were read last are used');
    } finally {
      reading = undefined;
    }
  }

  return {
    async has(origin, application) {
      if (known === undefined || now() - readAt >= trustMs) await (reading ??= read());
      const registered = application === undefined ? known?.all : new Set(known?.byApplication.get(application));
      if (registered === undefined) return false;
      const anyPort = settings.environment === 'sandbox' ? anyPortOf(origin) : undefined;
      return registered.has(origin) || (anyPort !== undefined && registered.has(anyPort));
    },
  };
}
