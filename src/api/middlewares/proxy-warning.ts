import type { ApiDependencies, Middleware } from '../api.ts';

/**
 * Warns in the log, once in the life of the process, when a proxy seems to stand before the API although `TRUST_PROXY` is 0: all who come through
 * it then share its network address, and so its limits (docs/operations.md). A client may send the header without a proxy, so it is no error.
 */
export function createProxyWarning({ settings, log }: Pick<ApiDependencies, 'settings' | 'log'>): Middleware {
  let isDue = settings.trustedProxies === 0;
  return async (context, next) => {
    if (isDue && context.req.header('X-Forwarded-For') !== undefined) {
      isDue = false;
      log.warn(
        'a request has X-Forwarded-For while TRUST_PROXY is 0: behind a proxy set TRUST_PROXY to the number of proxies, otherwise all clients share its limits',
      );
    }
    await next();
  };
}
