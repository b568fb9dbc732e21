import type { ApiDependencies, Middleware } from '../api.ts';

/**
 * Shows the watch over `TRUST_PROXY` the header of each request by a caller that the API knows, unless it was beyond a limit: anybody can send requests with
 * any header, and must neither cause the warning nor hide it.
 */
export function createProxyCheck({ proxies }: Pick<ApiDependencies, 'proxies'>): Middleware {
  return async (context, next) => {
    await next();
    // An endpoint for anyone has no caller.
    const { caller } = context.var as Partial<typeof context.var>;
    if (caller !== undefined && context.res.status !== 429) proxies.note(context.req.header('X-Forwarded-For'));
  };
}
