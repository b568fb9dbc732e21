import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { accessTokenSeconds, distrustGrantsOf, endGrants } from '../grants.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import type { Permission } from '../../../schema/column-types.ts';

/** The kind of an application (docs/api.md, Applications). */
export type ApplicationKind = LedgerTables['applications']['kind'];

/** An application to be registered. */
export interface NewApplication {
  kind: ApplicationKind;
  name: string;
  /** The user who registered it. */
  owner: string;
  /** Where an authorization-code application may send its users back to, exactly. */
  redirectUris?: string[];
  privacyPolicyUrl?: string | null;
  termsUrl?: string | null;
  /** What it may do: without it an authorization-code application may read, the other kinds may also write. */
  permissions?: Permission[];
  /** Whether an authorization-code application proves itself by its secret ({@link isConfidential}). */
  isConfidential?: boolean;
  /** Whether a confidential application proves itself for a refresh too (docs/api.md, Token endpoint). */
  refreshNeedsSecret?: boolean;
  /** Whose pages may read the answers to its requests (docs/api.md, Browsers). */
  origins?: string[];
  /** False in production, where credentials wait for an approval (docs/api.md, Applications). */
  approved?: boolean;
}

/** A registered application; `owner` is the id of a user. */
export interface Application {
  id: string;
  kind: ApplicationKind;
  owner: string;
}

/**
 * Whether an application has to prove itself by its secret where it presents a code or revokes a token (RFC 6749, section 2.1). Servers always do.
 * An authorization-code application does when it was registered so: one that runs in browsers or on phones cannot keep a secret.
 */
export function isConfidential(application: { kind: ApplicationKind; isConfidential: boolean }): boolean {
  return application.kind !== 'authorization_code' || application.isConfidential;
}

/** 256 bits: a secret that cannot be guessed needs no slow hash. */
const secretBytes = 32;

/** A new secret or token, and the only form in which it is kept. */
export function createSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(secretBytes).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** SHA-256 of a secret or token. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Registers an application (docs/api.md, Applications). The secret is returned this once and cannot be read again; it is empty for a public one, which has none. */
export async function createApplication(ledger: Ledger, application: NewApplication): Promise<{ id: string; secret: string }> {
  const id = randomUUID();
  const { kind, name, owner, approved = true } = application;
  const hasSecret = isConfidential({ kind, isConfidential: application.isConfidential ?? false });
  const { secret, hash } = hasSecret ? createSecret() : { secret: '', hash: null };
  await ledger
    .insertInto('applications')
    .values({
      id,
      kind,
      name,
      owner,
      secretHash: hash,
      disabledAt: null,
      redirectUris: application.redirectUris ?? [],
      privacyPolicyUrl: application.privacyPolicyUrl ?? null,
      termsUrl: application.termsUrl ?? null,
      permissions: application.permissions ?? (kind === 'authorization_code' ? ['read'] : ['read', 'write']),
      isConfidential: hasSecret,
      refreshNeedsSecret: application.refreshNeedsSecret ?? false,
      origins: application.origins ?? [],
      approvedAt: approved ? sql`now()` : null,
    })
    .execute();
  return { id, secret };
}

/** An application that is not disabled, by its id, and whether it is confidential; `undefined` when there is none. */
export async function findClient(ledger: Ledger, id: string): Promise<{ id: string; isConfidential: boolean } | undefined> {
  const application = await ledger
    .selectFrom('applications')
    .where('id', '=', id)
    .where('disabledAt', 'is', null)
    .select(['id', 'kind', 'isConfidential'])
    .executeTakeFirst();
  return application && { id, isConfidential: isConfidential(application) };
}

/**
 * The application that proves itself by its secret; `undefined` for a wrong secret, an unknown or a disabled application
 * alike. In a transaction nobody makes a new secret before its end. Throws `application_not_active` when the secret is right and its time has not come
 * (docs/api.md, Applications).
 */
export async function authenticateApplication(ledger: Ledger, id: string, secret: string): Promise<Application | undefined> {
  const application = await ledger
    .selectFrom('applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner')
    .leftJoin('profiles as p', 'p.id', 'u.defaultProfile')
    .where('a.id', '=', id)
    .where('a.disabledAt', 'is', null)
    .select([
      'a.id',
      'a.kind',
      'a.owner',
      'a.secretHash',
      'a.previousSecretHash',
      'a.previousSecretUntil',
      'a.approvedAt',
      'p.state as profileState',
    ])
    .$if(ledger.isTransaction, (query) => query.forShare('a'))
    .executeTakeFirst();
  const presented = hashSecret(secret);
  // Compared with something even when there is nothing, so that time does not tell an unknown id from a wrong secret.
  const matches = timingSafeEqual(presented, application?.secretHash ?? hashSecret(id));
  const matchesPrevious = timingSafeEqual(presented, application?.previousSecretHash ?? hashSecret(id));
  const isPreviousValid = (application?.previousSecretUntil?.getTime() ?? 0) > Date.now();
  if (!application?.secretHash || !(matches || (matchesPrevious && isPreviousValid))) return undefined;
  if (application.approvedAt === null) requireActive(application.kind, application.profileState);
  return { id: application.id, kind: application.kind, owner: application.owner };
}

function requireActive(kind: ApplicationKind, profileState: string | null): void {
  if (kind === 'private' && profileState === 'approved') return;
  const message =
    kind === 'private'
      ? "The credentials become active when the profile of the application's owner is approved."
      : 'The credentials become active when the application is approved as a partner.';
  throw new StopError({ code: 'application_not_active', message });
}

/** That a public application gets no new secret. */
export function withoutSecret(id: string): StopError {
  return new StopError({
    code: 'bad_input',
    message: `The application ${id} is public: it proves itself by PKCE and never by a secret, so there is none to rotate. \`mintrail app disable\` ends its tokens`,
  });
}

/** How a new secret ends the old one. */
export interface Rotation {
  /** The old secret and the tokens that the application got by it end now, and not after a day. */
  atOnce?: boolean | undefined;
  /** Since when somebody else may have had the old secret: it ends at once, so do the tokens that users granted, and what was linked through grants that were made or refreshed since then signs nobody in. */
  stolenSince?: Date | undefined;
}

/** A new secret of an application, which is returned this once. */
export interface Rotated {
  id: string;
  secret: string;
  /** Until when the secret before the old one would have stayed valid; it has ended now. Null where it had ended, RFC 3339. */
  endedEarlySecretUntil: string | null;
}

/**
 * Gives an application a new secret, returned this once. The old secret stays valid for a day, unless it is to end at once. Throws `not_found`, `not_possible`, and `bad_input` for a public application, which never proves itself by a secret, and for a time that is to come.
 */
export async function rotateSecret(
  ledger: Ledger,
  id: string,
  { stolenSince, atOnce = stolenSince !== undefined }: Rotation = {},
): Promise<Rotated> {
  if (stolenSince !== undefined && stolenSince.getTime() > Date.now())
    throw new StopError({
      code: 'bad_input',
      message: `The secret cannot have been stolen at ${stolenSince.toISOString()}, which is to come`,
    });
  const { secret, hash } = createSecret();
  const ended = await inTransaction(ledger, async (tx) => {
    const { disabledAt, isConfidential: hasSecret, previousSecretUntil: previousUntil } = await lockApplication(tx, id);
    if (!hasSecret) throw withoutSecret(id);
    if (disabledAt !== null)
      throw new StopError({ code: 'not_possible', message: `The application ${id} is disabled: create another one` });
    await tx
      .updateTable('applications')
      .set({
        secretHash: hash,
        secretSetAt: sql`now()`,
        secretStolenSince: stolenSince ?? null,
        previousSecretHash: atOnce ? null : sql`secret_hash`,
        previousSecretUntil: atOnce ? null : sql<Date>`now() + interval '24 hours'`,
      })
      .where('id', '=', id)
      .execute();
    const isBeforeEnd = previousUntil !== null && previousUntil.getTime() > Date.now();
    const earlier = isBeforeEnd ? previousUntil.toISOString() : null;
    if (!atOnce) return earlier;
    // Whoever has the old secret may have used it to get tokens. Those that users granted stay where it was not stolen, because the users proved who
    // they are without the secret.
    // A token that was taken with the secret may have been made before the theft.
    if (stolenSince !== undefined) {
      const validThen = sql`${stolenSince}::timestamptz - make_interval(secs => ${accessTokenSeconds})`;
      await distrustGrantsOf(tx, id, sql`coalesce(g.refreshed_at, g.made_at) >= ${validThen}`);
    }
    await endGrants(tx, sql`g.application = ${id} and ${stolenSince === undefined ? sql`g.auth_method is null` : sql`true`}`);
    return earlier;
  });
  return { id, secret, endedEarlySecretUntil: ended };
}

/**
 * Disables an application and ends its tokens; what was linked through it alone signs nobody in any more. Each copy of the API caches callers, so a token may work for three seconds more.
 * Returns false when the application was disabled before. Throws `not_found`.
 */
export async function disableApplication(ledger: Ledger, id: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const { disabledAt } = await lockApplication(tx, id);
    if (disabledAt !== null) return false;
    await tx
      .updateTable('applications')
      .set({ disabledAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    await distrustGrantsOf(tx, id);
    return true;
  });
}

/**
 * Makes the credentials of an application valid in production. Returns false when they were before. Throws `not_found`, and
 * `not_possible` for a private one.
 */
export async function approveApplication(ledger: Ledger, id: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const { approvedAt, kind } = await lockApplication(tx, id);
    if (approvedAt !== null) return false;
    if (kind === 'private')
      throw new StopError({
        code: 'not_possible',
        message: `The application ${id} is private: it becomes active when the profile of its owner is approved`,
      });
    await tx
      .updateTable('applications')
      .set({ approvedAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    return true;
  });
}

/** Every application, the oldest first, with its owner and whether its credentials are valid. */
export async function listApplications(ledger: Ledger) {
  return ledger
    .selectFrom('applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner')
    .leftJoin('profiles as p', 'p.id', 'u.defaultProfile')
    .orderBy('a.createdAt')
    .orderBy('a.id')
    .select(['a.id', 'a.kind', 'a.name', 'u.email as owner', 'a.createdAt', 'a.permissions', 'a.isConfidential', 'a.refreshNeedsSecret'])
    .select(['a.redirectUris', 'a.privacyPolicyUrl', 'a.termsUrl', 'a.origins'])
    .select(
      sql<'active' | 'waiting' | 'disabled'>`case when a.disabled_at is not null then 'disabled'
        when a.approved_at is not null or (a.kind = 'private' and p.state = 'approved') then 'active' else 'waiting' end`.as('state'),
    )
    .execute();
}

/**
 * Keeps an application as it is until the transaction ends: nobody disables it meanwhile or makes a new secret, which would miss what the transaction adds.
 * Whoever locks a user or tokens as well locks the application first.
 */
export async function keepApplication(tx: LedgerTransaction, id: string): Promise<void> {
  await tx.selectFrom('applications').where('id', '=', id).select('id').forShare().execute();
}

/** Locks the row of an application until the transaction ends. Throws `not_found`. */
export async function lockApplication(tx: LedgerTransaction, id: string) {
  const application = await tx
    .selectFrom('applications')
    .where('id', '=', id)
    .select(['kind', 'disabledAt', 'approvedAt', 'origins', 'isConfidential', 'previousSecretUntil'])
    // Not `for update`: rows that refer to the application are still added meanwhile, by transactions that have locked a user.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (application) return application;
  throw new StopError({ code: 'not_found', message: `There is no application ${id}; \`mintrail app list\` lists them` });
}

/** Whether an active application sends people to the hosted pages, where they sign up and sign in. */
export async function hasHostedPages(ledger: Ledger): Promise<boolean> {
  const active = ledger.selectFrom('applications').where('disabledAt', 'is', null);
  return (await active.where('kind', '=', 'authorization_code').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** The client secrets by which active applications prove themselves, and that were made before a time: how many, and the application with the oldest. Undefined without any. */
export async function oldClientSecrets(ledger: Ledger, before: Date): Promise<{ count: number; id: string; name: string } | undefined> {
  const { rows } = await sql<{ count: number; id: string; name: string }>`
    select count(*) over ()::int as count, id, name from applications
    where disabled_at is null and is_confidential and secret_set_at < ${before} order by secret_set_at, id limit 1
  `.execute(ledger);
  return rows[0];
}
