import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { type ApplicationKind, createApplication } from './applications.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { Permission } from '../tables.ts';
import { createUser } from './users.ts';

/** What an operator gives to register an application. */
export interface ApplicationRegistration {
  kind: ApplicationKind;
  name: string;
  /** Email address; absent where there is a single user. */
  owner?: string | undefined;
  redirectUris: string[];
  privacyPolicyUrl?: string | undefined;
  termsUrl?: string | undefined;
  permission: Permission;
}

export interface RegisteredApplication {
  id: string;
  secret: string;
  owner: string;
  /** Whether there was no such user before. */
  isNewOwner: boolean;
  /** Whether its credentials are valid, or what they wait for. */
  state: 'active' | 'waits for approval' | "waits for the approval of its owner's profile";
}

/** Longest name, URI and email address. */
const maxLength = { name: 100, uri: 2_000, email: 254 };

/** More than any application has, fewer than one would want to look through. */
const maxRedirectUris = 20;

/**
 * Registers an application as an operator does. Throws `invalid_application` with one text per field, `owner_needed` where
 * no owner is named and none is obvious.
 */
export async function registerApplication(
  ledger: Ledger,
  given: ApplicationRegistration,
  environment: 'production' | 'sandbox',
): Promise<RegisteredApplication> {
  const wrong = Object.fromEntries(registrationProblems(given, environment === 'production'));
  if (Object.keys(wrong).length > 0) {
    const lines = Object.entries(wrong).map(([field, text]) => `  ${field} ${text}`);
    throw new StopError({
      code: 'invalid_application',
      message: `The application cannot be registered:\n${lines.join('\n')}`,
      fields: wrong,
    });
  }
  const approved = environment === 'sandbox' || given.kind === 'authorization_code';
  return inTransaction(ledger, async (tx) => {
    const owner = await findOwner(tx, given);
    const created = await createApplication(tx, {
      kind: given.kind,
      name: given.name.trim(),
      owner: owner.id,
      redirectUris: [...new Set(given.redirectUris)],
      privacyPolicyUrl: given.privacyPolicyUrl ?? null,
      termsUrl: given.termsUrl ?? null,
      approved,
      permissions: given.permission === 'write' ? ['read', 'write'] : ['read'],
    });
    const isActive = approved || (given.kind === 'private' && owner.profileState === 'approved');
    const waits = given.kind === 'private' ? "waits for the approval of its owner's profile" : 'waits for approval';
    return { ...created, owner: owner.email, isNewOwner: owner.isNew, state: isActive ? 'active' : waits };
  });
}

function* registrationProblems(given: ApplicationRegistration, isProduction: boolean): Generator<[string, string]> {
  const { kind, name, owner, redirectUris, privacyPolicyUrl, termsUrl, permission } = given;
  if (name.trim() === '' || name.length > maxLength.name) yield ['name', `must be 1 to ${maxLength.name} characters long`];
  if (owner !== undefined && (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(owner) || owner.length > maxLength.email))
    yield ['owner', 'must be an email address'];
  if (kind !== 'authorization_code') {
    const only = 'is for authorization_code applications only: no users sign in to this kind';
    if (redirectUris.length > 0) yield ['redirect-uri', only];
    if (permission !== 'read') yield ['permission', only];
  } else if (redirectUris.length === 0) yield ['redirect-uri', 'is required: users come back to it after they have signed in'];
  if (redirectUris.length > maxRedirectUris) yield ['redirect-uri', `must be given at most ${maxRedirectUris} times`];
  for (const uri of redirectUris) {
    const problem = urlProblem(uri, isProduction) ?? (uri.includes('*') ? 'must be exact, without *' : undefined);
    if (problem !== undefined) yield ['redirect-uri', `${problem}: ${uri}`];
  }
  for (const [field, url] of Object.entries({ 'privacy-policy': privacyPolicyUrl, terms: termsUrl })) {
    const problem = url === undefined ? undefined : urlProblem(url, isProduction);
    if (problem !== undefined) yield [field, `${problem}: ${url}`];
  }
}

/** What speaks against a URL that users are sent to, and that is compared character by character (RFC 9700, section 2.1). */
function urlProblem(text: string, isProduction: boolean): string | undefined {
  if (text.length > maxLength.uri) return `must be at most ${maxLength.uri} characters long`;
  if (/[^\x21-\x7E]/.test(text) || !URL.canParse(text)) return 'must be an absolute URL in ASCII without spaces';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.protocol === 'http:' && isProduction) return 'must begin with https:// in production';
  if (text.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
  return undefined;
}

async function findOwner(tx: LedgerTransaction, { owner, name }: ApplicationRegistration) {
  const users = tx
    .selectFrom('users as u')
    .leftJoin('profiles as p', 'p.id', 'u.defaultProfile')
    .select(['u.id', 'u.email', 'p.state as profileState']);
  if (owner === undefined) {
    const [only, other] = await users.limit(2).execute();
    if (only && !other) return { ...only, isNew: false };
    const message = only
      ? 'There are several users: say whose application it is with --owner'
      : 'There is no user yet: name one with --owner';
    throw new StopError({ code: 'owner_needed', message });
  }
  const known = await users.where(sql`lower(u.email)`, '=', owner.toLowerCase()).executeTakeFirst();
  if (known) return { ...known, isNew: false };
  return { id: await createUser(tx, { email: owner, name: name.trim() }), email: owner, profileState: null, isNew: true };
}
