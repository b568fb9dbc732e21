import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { type SignedInUser, createSession, endSession, findSession, sessionSeconds } from '../../ledger/access/sessions.ts';
import { userSubject } from '../../ledger/access/subject.ts';
import { knownDeviceDays, rememberDevice } from '../../ledger/access/known-devices.ts';
import { queueSignInNotice } from '../../ledger/accounts/notices.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readSecretCookie, type SecretCookie, writeSecretCookie } from '../../platform/http/secret-cookie.ts';
import { canSendMail } from '../../platform/mail.ts';
import { baseUrl } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv } from '../api.ts';
import { signInSource } from './sign-in-source.ts';

/** A browser that shows the hosted pages. It gets a secret before a user signs in, so that forms of other sites are recognised. */
export interface Browser {
  /** The secret of its cookie: whatever waits for this browser alone is found by it. It is never on a page. */
  secret: string;
  /** In every form: proves that the form is from a page of ours in this browser. */
  csrfToken: string;
  user: SignedInUser | undefined;
}

type Deps = Pick<ApiDependencies, 'ledger' | 'settings'>;
type SignInDeps = Pick<ApiDependencies, 'ledger' | 'settings' | 'sealer'>;

/** Reads the browser of a request and its user. Sets a secret cookie if there is none. */
export async function readBrowser(context: Context<ApiEnv>, { ledger, settings }: Deps): Promise<Browser> {
  const known = sessionSecret(context, settings);
  if (known !== undefined) return { secret: known, csrfToken: csrfTokenOf(known), user: await findSession(ledger, known) };
  const secret = randomBytes(32).toString('base64url');
  writeSecretCookie(context, cookieOf(settings, 'session'), secret);
  return { secret, csrfToken: csrfTokenOf(secret), user: undefined };
}

/** Whether a form with this token is from a page of ours in this browser. */
export function isOwnForm({ csrfToken }: Browser, token: string | null): boolean {
  const [expected, actual] = [Buffer.from(csrfToken), Buffer.from(token ?? '')];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The secret by which a browser is known in which a user has signed in; `undefined` without one. */
export function deviceSecret(context: Context<ApiEnv>, settings: Deps['settings']): string | undefined {
  return readSecretCookie(context, cookieOf(settings, 'device'));
}

/** The secret of the session cookie; `undefined` without one. */
export function sessionSecret(context: Context<ApiEnv>, settings: Deps['settings']): string | undefined {
  return readSecretCookie(context, cookieOf(settings, 'session'));
}

/**
 * Signs a user in with a new secret, so that a secret known before the sign-in is worthless, and remembers the browser. A user who has signed in
 * before is told by mail of a browser that is new.
 */
export async function signIn(context: Context<ApiEnv>, deps: SignInDeps, user: string, { isNewUser = false } = {}): Promise<void> {
  const { ledger, sealer, settings } = deps;
  await forget(context, ledger, settings);
  const source = signInSource(context, settings);
  const secret = await createSession(ledger, userSubject(user), source);
  writeSecretCookie(context, cookieOf(settings, 'session'), secret, sessionSeconds);
  const isNewBrowser = await rememberBrowser(context, deps, user);
  if (isNewBrowser && !isNewUser && canSendMail(settings)) await queueSignInNotice(ledger, sealer, user, source);
}

/** Makes this browser, in which a user has given everything that a sign-in asks for, a known one. Returns whether it was not before. */
async function rememberBrowser(context: Context<ApiEnv>, { ledger, settings }: Deps, user: string): Promise<boolean> {
  const known = deviceSecret(context, settings);
  const device = await rememberDevice(ledger, user, known);
  writeSecretCookie(context, cookieOf(settings, 'device'), device, knownDeviceDays * 86_400);
  return device !== known;
}

/** Signs the user of this browser out. */
export async function signOut(context: Context<ApiEnv>, { ledger, settings }: Deps): Promise<void> {
  await forget(context, ledger, settings);
  writeSecretCookie(context, cookieOf(settings, 'session'), randomBytes(32).toString('base64url'));
}

async function forget(context: Context<ApiEnv>, ledger: Ledger, settings: Deps['settings']): Promise<void> {
  const known = sessionSecret(context, settings);
  if (known !== undefined) await endSession(ledger, known);
}

function csrfTokenOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}

/** The cookies of a browser: who is signed in, and who has signed in before. */
function cookieOf(settings: Deps['settings'], name: 'session' | 'device'): SecretCookie {
  return { name, sameSite: 'Lax', url: baseUrl(settings) };
}
