import type { Middleware } from '../api.ts';

/** JSON needs no right at all in a browser; the documentation page loosens this for itself. */
const headers = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
  'Cache-Control': 'no-store',
});

/** Headers that keep an answer from being sniffed, framed, cached or downgraded. */
export const securityHeaders: Middleware = async (context, next) => {
  for (const [name, value] of headers) context.header(name, value);
  await next();
};
