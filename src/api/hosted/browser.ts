import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { type SignedInUser, createSession, endSession, findSession, sessionSeconds } from '../../ledger/access/sessions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { baseUrl } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv } from '../api.ts';

/** A browser that shows our pages: it has a secret before anybody has signed in on it, so that its forms can be told from others'. */
export interface Browser {
  /** For the forms: proves that a form came from a page of ours on this browser. */
  csrfToken: string;
  user: SignedInUser | undefined;
}

const secretForm = /^[A-Za-z0-9_-]{43}$/;

type Deps = Pick<ApiDependencies, 'ledger' | 'settings'>;

/** The browser that asks. Gives it a secret when it has none. */
export async function readBrowser(context: Context<ApiEnv>, { ledger, settings }: Deps): Promise<Browser> {
  const given = readSecret(context, settings);
  if (given !== undefined) return { csrfToken: csrfTokenOf(given), user: await findSession(ledger, given) };
  const secret = randomBytes(32).toString('base64url');
  writeSecret(context, settings, secret);
  return { csrfToken: csrfTokenOf(secret), user: undefined };
}

/** Whether a form came from a page of ours on this browser. */
export function isOwnForm({ csrfToken }: Browser, given: string | null): boolean {
  const [one, other] = [Buffer.from(csrfToken), Buffer.from(given ?? '')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Signs a user in, with a new secret: one that was known before means nothing after. */
export async function signIn(context: Context<ApiEnv>, { ledger, settings }: Deps, user: string): Promise<void> {
  await forget(context, ledger, settings);
  writeSecret(context, settings, await createSession(ledger, user), sessionSeconds);
}

/** Signs the user of this browser out. */
export async function signOut(context: Context<ApiEnv>, { ledger, settings }: Deps): Promise<void> {
  await forget(context, ledger, settings);
  writeSecret(context, settings, randomBytes(32).toString('base64url'));
}

async function forget(context: Context<ApiEnv>, ledger: Ledger, settings: Deps['settings']): Promise<void> {
  const known = readSecret(context, settings);
  if (known !== undefined) await endSession(ledger, known);
}

function csrfTokenOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}

function readSecret(context: Context<ApiEnv>, settings: Deps['settings']): string | undefined {
  const value = getCookie(context, cookieName(settings));
  return value !== undefined && secretForm.test(value) ? value : undefined;
}

function writeSecret(context: Context<ApiEnv>, settings: Deps['settings'], secret: string, maxAge?: number): void {
  setCookie(context, cookieName(settings), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecure(settings),
    ...(maxAge === undefined ? {} : { maxAge }),
  });
}

/** Browsers take the prefix from secure origins alone, and let no other host of the domain set it (RFC 6265bis, section 4.1.3.2). */
function cookieName(settings: Deps['settings']): string {
  return isSecure(settings) ? '__Host-session' : 'session';
}

function isSecure(settings: Deps['settings']): boolean {
  return baseUrl(settings).startsWith('https:');
}
