import { secureHeaders } from 'hono/secure-headers';
import type { Middleware } from '../api.ts';

/**
 * Headers that keep an answer from being sniffed, framed or downgraded. JSON needs no rights in a browser; pages bring their own
 * content security policy. Policies for other origins' windows stay off, because applications may open the pages in a window of theirs.
 */
export const securityHeaders: Middleware = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  xFrameOptions: 'DENY',
  strictTransportSecurity: 'max-age=31536000',
  crossOriginResourcePolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  overwrite: false,
});

/** Keeps answers out of every cache; what may be cached says so itself. */
export const noStore: Middleware = async (context, next) => {
  context.header('Cache-Control', 'no-store');
  await next();
};
