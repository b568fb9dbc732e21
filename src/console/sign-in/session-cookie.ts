import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { endOperatorSession, operatorSessionSeconds } from '../../ledger/operators/sessions.ts';
import { consoleUrl } from '../../platform/settings.ts';
import type { ConsoleEnv } from '../console-env.ts';

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** The secret of the session of a browser; `undefined` without one. */
export function readSessionSecret(context: Context<ConsoleEnv>): string | undefined {
  const value = getCookie(context, cookieName(context));
  return value !== undefined && secretForm.test(value) ? value : undefined;
}

/** Keeps the secret of a new session in the browser, and ends the one that it had. */
export async function signInBrowser(context: Context<ConsoleEnv>, secret: string): Promise<void> {
  const earlier = readSessionSecret(context);
  if (earlier !== undefined) await endOperatorSession(context.var.ledger, earlier);
  setCookie(context, cookieName(context), secret, { ...options(context), maxAge: operatorSessionSeconds });
}

/** Makes the browser forget its session. */
export function forgetSessionSecret(context: Context<ConsoleEnv>): void {
  deleteCookie(context, cookieName(context), options(context));
}

function options(context: Context<ConsoleEnv>) {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure(context) } as const;
}

/**
 * Browsers accept the prefix `__Host-` only from secure origins, and from no other host of the domain (RFC 6265bis, section 4.1.3.2). A cookie belongs
 * to a host and not to a port, so those of two consoles on one machine have different names.
 */
function cookieName(context: Context<ConsoleEnv>): string {
  return isSecure(context) ? '__Host-console' : `console-${context.var.settings.consolePort}`;
}

function isSecure({ var: { settings } }: Context<ConsoleEnv>): boolean {
  return consoleUrl(settings).startsWith('https:');
}
