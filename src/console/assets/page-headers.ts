import type { Context } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { ConsoleEnv, ConsoleMiddleware } from '../console-env.ts';

/** Keeps every answer from being sniffed, framed, read by other sites or downgraded. What is no page needs no rights in a browser. */
export const securityHeaders: ConsoleMiddleware = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: 'max-age=31536000',
  crossOriginResourcePolicy: 'same-origin',
  crossOriginOpenerPolicy: 'same-origin',
  overwrite: false,
});

/** What the document of the pages may do: its own scripts and styles, requests to its own server, and nothing that stands in the document itself. */
export function withPageHeaders(context: Context<ConsoleEnv>, nonce: string): void {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ];
  context.header('Content-Security-Policy', policy.join('; '));
}
