import type { Context } from 'hono';
import { cors } from 'hono/cors';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';
import { createRegisteredOrigins, type RegisteredOrigins } from './registered-origins.ts';

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
