import type { Middleware } from '../api.ts';

const vendorJson = /^application\/vnd\.[\w.-]+\+json\s*(;|$)/i;

/**
 * Clients that send the version's media type as `Accept` may send it as `Content-Type` too. The framework knows vendor
 * types only without digits, so this one is called by its plain name.
 */
export const jsonContentType: Middleware = async (context, next) => {
  const type = context.req.header('Content-Type');
  if (type !== undefined && vendorJson.test(type)) context.req.raw.headers.set('Content-Type', 'application/json');
  await next();
};
