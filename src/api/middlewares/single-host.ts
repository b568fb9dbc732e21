import type { ApiEnv, Middleware } from '../api.ts';
import { invalid } from '../http/errors.ts';

/**
 * Answers 400 to a request with more than one `Host` header (RFC 9112, section 3.2): a proxy in front may have gone by the other one. Throws
 * `invalid_request`.
 */
export const singleHost: Middleware = async (context, next) => {
  // Without a socket there is no environment, as in tests.
  const { incoming } = (context.env ?? {}) as Partial<ApiEnv['Bindings']>;
  const names = incoming?.rawHeaders.filter((_, index) => index % 2 === 0) ?? [];
  if (names.filter((name) => name.toLowerCase() === 'host').length > 1) throw invalid({ Host: 'must not be repeated' });
  await next();
};
