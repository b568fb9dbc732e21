import type { Context } from 'hono';
import { endSession, sessionSeconds } from '../../ledger/access/sessions.ts';
import { forgetSecretCookie, readSecretCookie, type SecretCookie, writeSecretCookie } from '../../platform/http/secret-cookie.ts';
import { consoleUrl } from '../../platform/settings.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** The secret of the session of a browser; `undefined` without one. */
export function readSessionSecret(context: Context<ConsoleEnv>): string | undefined {
  return readSecretCookie(context, sessionCookie(context));
}

/** Keeps the secret of a new session in the browser, and ends the one that it had. */
export async function signInBrowser(context: Context<ConsoleEnv>, secret: string): Promise<void> {
  const earlier = readSessionSecret(context);
  if (earlier !== undefined) await endSession(context.var.ledger, earlier);
  writeSecretCookie(context, sessionCookie(context), secret, sessionSeconds);
}

/** Makes the browser forget its session. */
export function forgetSessionSecret(context: Context<ConsoleEnv>): void {
  forgetSecretCookie(context, sessionCookie(context));
}

/** Two consoles on one machine have cookies with different names, since a cookie belongs to a host and not to a port. */
function sessionCookie({ var: { settings } }: Context<ConsoleEnv>): SecretCookie {
  return { name: 'console', insecureName: `console-${settings.consolePort}`, sameSite: 'Strict', url: consoleUrl(settings) };
}
