import type { ApiEnv, Middleware } from '../api.ts';
import { invalid } from '../http/errors.ts';

/**
 * Answers 400 to a request with more than one `Host` header, by one of which a proxy in front may have gone, and to one of HTTP/1.1 without any (RFC 9112,
 * section 3.2). The health checks of balancers speak HTTP/1.0, which needs none. Throws `invalid_request`.
 */
export const singleHost: Middleware = async (context, next) => {
  // Without a socket there is no environment, as in tests.
  const { incoming } = (context.env ?? {}) as Partial<ApiEnv['Bindings']>;
  if (incoming !== undefined) {
    const hosts = incoming.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
    if (hosts > 1) throw invalid({ Host: 'must not be repeated' });
    if (hosts === 0 && incoming.httpVersion !== '1.0') throw invalid({ Host: 'is required' });
  }
  await next();
};
