import type { Middleware } from '../api.ts';

const vendorJson = /^application\/vnd\.[\w.-]+\+json\s*(;|$)/i;

/**
 * Treats the version's media type as JSON: clients may send it as `Content-Type` too, and the framework knows only vendor types
 * without digits.
 */
export const jsonContentType: Middleware = async (context, next) => {
  const type = context.req.header('Content-Type');
  if (type !== undefined && vendorJson.test(type)) context.req.raw.headers.set('Content-Type', 'application/json');
  await next();
};
