import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/** A cookie that holds a secret by which the service knows a browser. Scripts do not see it. */
export interface SecretCookie {
  /** For secure origins. Browsers accept it from no other host of the domain (RFC 6265bis, section 4.1.3.2). */
  name: string;
  /** For origins that are not secure, which cannot have that prefix. A cookie belongs to a host and not to a port. */
  insecureName?: string;
  /** `Strict` also keeps it from a first request that another site causes. */
  sameSite: 'Lax' | 'Strict';
  /** URL of the pages. */
  url: string;
}

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** The secret that a browser sends; `undefined` without one. */
export function readSecretCookie(context: Context, cookie: SecretCookie): string | undefined {
  const value = getCookie(context, nameOf(cookie));
  return value !== undefined && secretForm.test(value) ? value : undefined;
}

/** Gives a browser a secret; until it is closed where it is not said for how many seconds. */
export function writeSecretCookie(context: Context, cookie: SecretCookie, secret: string, maxAge?: number): void {
  setCookie(context, nameOf(cookie), secret, { ...optionsOf(cookie), ...(maxAge === undefined ? {} : { maxAge }) });
}

/** Makes a browser forget a secret. */
export function forgetSecretCookie(context: Context, cookie: SecretCookie): void {
  deleteCookie(context, nameOf(cookie), optionsOf(cookie));
}

function nameOf({ name, insecureName = name, url }: SecretCookie): string {
  return isSecure(url) ? `__Host-${name}` : insecureName;
}

function optionsOf({ sameSite, url }: SecretCookie) {
  return { path: '/', httpOnly: true, sameSite, secure: isSecure(url) } as const;
}

function isSecure(url: string): boolean {
  return url.startsWith('https:');
}
