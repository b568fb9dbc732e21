import type { ApiDependencies, Middleware } from '../api.ts';

/** Shows the watch over `TRUST_PROXY` the header of each request, except of checks of the health: a balancer or the machine itself sends those. */
export function createProxyCheck({ proxies }: Pick<ApiDependencies, 'proxies'>): Middleware {
  return async ({ req }, next) => {
    if (!req.path.startsWith('/health')) proxies.note(req.header('X-Forwarded-For'));
    await next();
  };
}
