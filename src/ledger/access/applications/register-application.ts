import { sql } from 'kysely';
import { deceptiveCharacters, deceptiveProblem } from '../../../platform/printable.ts';
import { StopError } from '../../../platform/errors.ts';
import { maxOrigins, originProblem } from './origins.ts';
import type { ApplicationKind } from './application-kinds.ts';
import { createApplication } from './create-application.ts';
import { redirectUriProblem, webPageProblem } from './redirect-uris.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import type { Permission } from '../../../schema/column-types.ts';
import { createUser } from '../users.ts';

/** What an operator enters to register an application. */
export interface ApplicationRegistration {
  kind: ApplicationKind;
  name: string;
  /** Email address of the owner; may be absent in a sandbox that has a single user. */
  owner?: string | undefined;
  redirectUris: string[];
  privacyPolicyUrl?: string | undefined;
  termsUrl?: string | undefined;
  /** What users let an authorization-code application do. */
  permission: Permission;
  /** Whether a private application may only read. */
  isReadOnly?: boolean | undefined;
  /** Whether an authorization-code application has a server that keeps its secret. */
  isConfidential?: boolean | undefined;
  /** Whether the secret has to come with every refresh too. */
  refreshNeedsSecret?: boolean | undefined;
  /** Whose pages may read the answers to its requests. */
  origins: string[];
}

/** A registered application with its secret, which cannot be read again; it is empty for a public one, which has none. */
export interface RegisteredApplication {
  id: string;
  secret: string;
  /** Email address. */
  owner: string;
  /** Whether the owner was created with it. */
  isNewOwner: boolean;
  /** `active` when its credentials are valid, else what they wait for. */
  state: 'active' | 'waits for approval' | "waits for the approval of its owner's profile";
}

/** In UTF-16 code units. */
const maxLength = { name: 100, email: 254 };

/** More than any application needs; every sign-in compares its URI with all of them. */
const maxRedirectUris = 20;

/**
 * Registers an application for an operator, and its owner if there is no user of that address. Throws `bad_input` with one text
 * per field, or when no owner is named in production, or elsewhere and there is not exactly one user, and `not_possible` when somebody signed up with the
 * owner's address and nobody has proven it.
 */
export async function registerApplication(
  ledger: Ledger,
  registration: ApplicationRegistration,
  environment: 'production' | 'sandbox',
): Promise<RegisteredApplication> {
  requireValid(registration, environment);
  const approved = environment === 'sandbox' || registration.kind === 'authorization_code';
  return inTransaction(ledger, async (tx) => {
    const owner = (await findOwner(tx, registration, environment)) ?? (await createOwner(tx, registration));
    const created = await createApplication(tx, {
      kind: registration.kind,
      name: registration.name.trim(),
      owner: owner.id,
      redirectUris: [...new Set(registration.redirectUris)],
      privacyPolicyUrl: registration.privacyPolicyUrl ?? null,
      termsUrl: registration.termsUrl ?? null,
      origins: [...new Set(registration.origins)],
      approved,
      isConfidential: registration.isConfidential ?? false,
      refreshNeedsSecret: registration.refreshNeedsSecret ?? false,
      permissions: mayWrite(registration) ? ['read', 'write'] : ['read'],
    });
    const isActive = approved || (registration.kind === 'private' && owner.profileState === 'approved');
    const waits = registration.kind === 'private' ? "waits for the approval of its owner's profile" : 'waits for approval';
    return { ...created, owner: owner.email, isNewOwner: owner.isNew, state: isActive ? 'active' : waits };
  });
}

function mayWrite({ kind, permission, isReadOnly }: ApplicationRegistration): boolean {
  return kind === 'authorization_code' ? permission === 'write' : isReadOnly !== true;
}

/** Throws what {@link registerApplication} throws, and registers nothing. */
export async function requireRegistrable(
  ledger: Ledger,
  registration: ApplicationRegistration,
  environment: 'production' | 'sandbox',
): Promise<void> {
  requireValid(registration, environment);
  await findOwner(ledger, registration, environment);
}

function requireValid(registration: ApplicationRegistration, environment: 'production' | 'sandbox'): void {
  const problems = Object.fromEntries(registrationProblems(registration, environment));
  if (Object.keys(problems).length > 0) {
    const lines = Object.entries(problems).map(([field, text]) => `  ${field} ${text}`);
    throw new StopError({
      code: 'bad_input',
      message: `The application cannot be registered:\n${lines.join('\n')}`,
      fields: problems,
    });
  }
}

function* registrationProblems(registration: ApplicationRegistration, environment: 'production' | 'sandbox'): Generator<[string, string]> {
  const isProduction = environment === 'production';
  const { kind, name, owner, redirectUris, privacyPolicyUrl, termsUrl, permission, isConfidential, refreshNeedsSecret, origins } =
    registration;
  if (name.trim() === '' || name.length > maxLength.name) yield ['name', `must be 1 to ${maxLength.name} characters long`];
  if (owner !== undefined && (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(owner) || owner.length > maxLength.email))
    yield ['owner', 'must be an email address'];
  for (const [field, text] of Object.entries({ name, owner }))
    if (text !== undefined && deceptiveCharacters.test(text)) yield [field, deceptiveProblem];
  if (registration.isReadOnly === true && kind !== 'private')
    yield [
      'read-only',
      kind === 'whitelabel'
        ? 'is for private applications only: a whitelabel application has the customers that it onboards'
        : 'is for private applications only: users let this kind read, unless it is registered with --permission write',
    ];
  if (kind !== 'authorization_code') {
    const only = 'is for authorization_code applications only: no users sign in to this kind';
    if (redirectUris.length > 0) yield ['redirect-uri', only];
    if (permission !== 'read') yield ['permission', only];
    if (isConfidential === true) yield ['confidential', 'is for authorization_code applications only: the other kinds always are'];
    // In the sandbox anything may be tried out; there is no money that a secret in a browser would give away.
    if (origins.length > 0 && isProduction)
      yield ['origin', 'is for authorization_code applications only: the secret of this kind must not be in a browser'];
  } else {
    if (redirectUris.length === 0) yield ['redirect-uri', 'is required: users come back to it after they have signed in'];
    if (refreshNeedsSecret === true && isConfidential !== true)
      yield ['refresh-needs-secret', 'is for applications with a secret: an authorization_code application needs --confidential as well'];
  }
  if (redirectUris.length > maxRedirectUris) yield ['redirect-uri', `must be given at most ${maxRedirectUris} times`];
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri, environment);
    if (problem !== undefined) yield ['redirect-uri', `${problem}: ${uri}`];
  }
  if (origins.length > maxOrigins) yield ['origin', `must be given at most ${maxOrigins} times`];
  for (const origin of origins) {
    const problem = originProblem(origin, environment);
    if (problem !== undefined) yield ['origin', `${problem}: ${origin}`];
  }
  for (const [field, url] of Object.entries({ 'privacy-policy': privacyPolicyUrl, terms: termsUrl })) {
    const problem = url === undefined ? undefined : webPageProblem(url, environment);
    if (problem !== undefined) yield [field, `${problem}: ${url}`];
  }
}

/** The user who is named as the owner, or the only one; `undefined` when the named one is to be created. */
async function findOwner(ledger: Ledger, { owner }: ApplicationRegistration, environment: 'production' | 'sandbox') {
  const users = ledger
    .selectFrom('users as u')
    .leftJoin('profiles as p', 'p.id', 'u.defaultProfile')
    .select(['u.id', 'u.email', 'p.state as profileState']);
  if (owner === undefined) {
    // Anybody may sign up, so the only user of a new installation may be a stranger.
    if (environment === 'production') throw new StopError({ code: 'bad_input', message: 'Say whose application it is with --owner' });
    const [only, other] = await users.limit(2).execute();
    if (only && !other) return { ...only, isNew: false };
    const message = only
      ? 'There are several users: say whose application it is with --owner'
      : 'There is no user yet: name one with --owner';
    throw new StopError({ code: 'bad_input', message });
  }
  const known = await users
    .leftJoin('passwords as w', 'w.userId', 'u.id')
    .where(sql`lower(u.email)`, '=', owner.toLowerCase())
    .select(sql<boolean>`u.email_verified_at is null and w.user_id is not null`.as('isUnproven'))
    .executeTakeFirst();
  if (known?.isUnproven === true)
    throw new StopError({
      code: 'not_possible',
      message: `Somebody signed up as ${owner} before addresses were verified: let its owner set a new password by mail first, on the page /account/reset-password`,
    });
  return known && { id: known.id, email: known.email, profileState: known.profileState, isNew: false };
}

async function createOwner(tx: LedgerTransaction, { owner = '', name }: ApplicationRegistration) {
  return { id: await createUser(tx, { email: owner, name: name.trim() }), email: owner, profileState: null, isNew: true };
}
