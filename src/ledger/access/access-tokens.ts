import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Application, createSecret, hashSecret, keepApplication } from './applications.ts';
import { takeLock, tokenFamilyLock } from '../advisory-locks.ts';
import { useConsent } from './consents.ts';
import { clearExpired } from './expired-rows.ts';
import { lockUser } from './users.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { AuthMethod, Permission } from '../../schema/column-types.ts';
import type { Caller, Proof } from './permissions.ts';
import type { Chain } from '../../platform/chains.ts';

/** Lifetime of an access token in seconds (docs/api.md, Token endpoint). */
export const accessTokenSeconds = 3_600;

/** Lifetime of a refresh token in days (docs/api.md, Token endpoint). */
const refreshTokenDays = 30;

/**
 * Days after which a token family ends, however often its tokens were refreshed: then the user signs in again, or the application sends its
 * credentials again. A thief of a refresh token that nobody misses is shut out by then.
 */
export const tokenFamilyDays = 90;

/** Opaque tokens as the client gets them. The ledger keeps only their SHA-256. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  user: string;
  defaultProfile: string | null;
  /** What the application may do. */
  permissions: readonly Permission[];
}

/** Why a refresh token gives no new tokens; `unauthenticated` when the application has to prove itself for that and did not. */
export type RefreshError = 'unknown' | 'expired' | 'other_client' | 'unauthenticated' | 'reused';

/** What a client presents for new tokens (RFC 6749, section 6). */
export interface Refresh {
  application: string;
  /** Whether the application proved itself by its secret. */
  isAuthenticated: boolean;
  refreshToken: string;
}

/** Issues the first pair of a new token family to an application acting for its owner. */
export async function issueTokens(ledger: Ledger, application: Application): Promise<TokenPair> {
  return inTransaction(ledger, (tx) => insertPair(tx, { application: application.id, user: application.owner, family: randomUUID() }));
}

/**
 * Exchanges a refresh token for a new pair, once. A second use revokes the whole family, because then two parties hold the
 * token (RFC 9700, section 4.14). Only an authenticated use counts where the application's refreshes need its secret.
 */
export async function refreshTokens(
  ledger: Ledger,
  { application, isAuthenticated, refreshToken }: Refresh,
): Promise<TokenPair | RefreshError> {
  const hash = hashSecret(refreshToken);
  return inTransaction(ledger, async (tx) => {
    const token = await findRefreshToken(tx, hash);
    if (!token) return 'unknown';
    if (token.application !== application) return 'other_client';
    if (!isAuthenticated && token.refreshNeedsSecret) return 'unauthenticated';
    await keepApplication(tx, application);
    // The user before the family, as a password reset locks them.
    if (token.usedAt !== null) await lockUser(tx, token.user);
    await takeLock(tx, tokenFamilyLock(token.family));
    const current = await findRefreshToken(tx, hash);
    if (!current) return 'unknown';
    if (current.usedAt !== null) {
      await endReusedFamily(tx, current);
      return 'reused';
    }
    if (current.expired) return 'expired';
    const isGranted = current.authMethod !== null;
    if (isGranted && !(await useConsent(tx, current.user, application))) return 'unknown';
    if (!(await stillSignsIn(tx, current.user, proofOf(current)))) return 'unknown';
    const used = await tx
      .updateTable('refreshTokens')
      .set({ usedAt: sql`now()` })
      .where('hash', '=', hash)
      .where('usedAt', 'is', null)
      .executeTakeFirst();
    // It ended while this waited for the consent.
    if (used.numUpdatedRows === 0n) return 'unknown';
    const { user, family, familyEndsAt } = current;
    return insertPair(tx, { application, user, family, familyEndsAt, proof: proofOf(current) });
  });
}

/** The caller that an access token stands for; `undefined` when it is unknown, expired or revoked, or its application is disabled. */
export async function findCaller(ledger: Ledger, accessTokenHash: Buffer): Promise<(Caller & { expiresAt: Date }) | undefined> {
  const row = await ledger
    .selectFrom('accessTokens as t')
    .innerJoin('applications as a', 'a.id', 't.application')
    .innerJoin('users as u', 'u.id', 't.userId')
    .where('t.hash', '=', accessTokenHash)
    .where('t.expiresAt', '>', sql<Date>`now()`)
    .where('a.disabledAt', 'is', null)
    .select(['a.id as application', 'a.kind', 'u.id as user', 'u.defaultProfile', 't.expiresAt'])
    .select(['t.authMethod', 't.authSubject', 't.authChain', 'a.permissions'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { authMethod, authSubject, authChain, ...known } = row;
  const authorization = proofOf({ authMethod, authSubject, authChain });
  return { ...known, token: accessTokenHash, ...(authorization === undefined ? {} : { authorization }) };
}

interface ProofColumns {
  authMethod: AuthMethod | null;
  authSubject: string | null;
  authChain: Chain | null;
}

function proofOf({ authMethod, authSubject, authChain }: ProofColumns): Proof | undefined {
  if (authMethod === null || authSubject === null) return undefined;
  return { method: authMethod, subject: authSubject, ...(authChain === null ? {} : { chain: authChain }) };
}

/** Whether a user who signed in by an account could still do so: its address may have gone to another profile, or what it was linked through may have been disabled. */
async function stillSignsIn(tx: LedgerTransaction, user: string, proof: Proof | undefined): Promise<boolean> {
  if (proof?.method !== 'resource') return true;
  const { rows } = await sql`
    select from consented_signers(${[user]}::uuid[]) where address = ${proof.subject.toLowerCase()} and chain = ${proof.chain ?? ''} limit 1
  `.execute(tx);
  return rows.length > 0;
}

async function findRefreshToken(tx: LedgerTransaction, hash: Buffer) {
  return tx
    .selectFrom('refreshTokens as t')
    .innerJoin('applications as a', 'a.id', 't.application')
    .where('t.hash', '=', hash)
    .select(['t.application', 't.userId as user', 't.family', 't.familyEndsAt', 't.authMethod', 't.authSubject', 't.authChain'])
    .select('a.refreshNeedsSecret')
    .select(['t.usedAt', sql<boolean>`t.expires_at <= now()`.as('expired')])
    .executeTakeFirst();
}

/**
 * Ends every token of a family. Waits for a rotation that is in progress. Used refresh tokens are kept until they would have expired: a thief who
 * revokes the family does not hide that the owner, too, has a token that was used.
 */
export async function revokeFamily(tx: LedgerTransaction, family: string): Promise<void> {
  await takeLock(tx, tokenFamilyLock(family));
  await tx.deleteFrom('accessTokens').where('family', '=', family).execute();
  await tx.deleteFrom('refreshTokens').where('family', '=', family).where('usedAt', 'is', null).execute();
  await tx
    .updateTable('refreshTokens')
    .set({ familyRevokedAt: sql`now()` })
    .where('family', '=', family)
    .where('familyRevokedAt', 'is', null)
    .execute();
}

/** How long after the end of a family something may have been linked by it, with time to spare: a request that had begun is ended first. */
const endingSeconds = 60;

/**
 * Ends a family of which a token was used twice, and the sign-in by what was linked from the first use of any of its tokens to its end: whoever used one first may
 * have been the thief, who also chooses which token is used again. What later grants have linked stays. When nothing of the family is at work any more, its
 * tokens are forgotten.
 */
async function endReusedFamily(tx: LedgerTransaction, { family, application, user }: FamilyMember): Promise<void> {
  await revokeFamily(tx, family);
  await sql`
    select forget_links(${user}, ${application}, min(used_at), min(family_revoked_at) + make_interval(secs => ${endingSeconds}))
    from refresh_tokens where family = ${family}
  `.execute(tx);
  await tx
    .deleteFrom('refreshTokens')
    .where('family', '=', family)
    .where('familyRevokedAt', '<', sql<Date>`now() - make_interval(secs => ${endingSeconds})`)
    .execute();
}

interface FamilyMember {
  application: string;
  user: string;
  family: string;
  /** When the family ends; without it the family begins with this pair. */
  familyEndsAt?: Date;
  proof?: Proof | undefined;
}

/** Adds a pair to a token family. The refresh token expires with its family at the latest. */
export async function insertPair(tx: LedgerTransaction, grant: FamilyMember): Promise<TokenPair> {
  const access = createSecret();
  const refresh = createSecret();
  const { method = null, subject = null, chain = null } = grant.proof ?? {};
  const proof: ProofColumns = { authMethod: method, authSubject: subject, authChain: chain };
  const row = { application: grant.application, userId: grant.user, family: grant.family, ...proof };
  await tx
    .insertInto('accessTokens')
    .values({ ...row, hash: access.hash, expiresAt: sql`now() + make_interval(secs => ${accessTokenSeconds})` })
    .execute();
  const familyEndsAt = grant.familyEndsAt ?? sql<Date>`now() + make_interval(days => ${tokenFamilyDays})`;
  const expiresAt = sql<Date>`least(now() + make_interval(days => ${refreshTokenDays}), ${familyEndsAt})`;
  await tx
    .insertInto('refreshTokens')
    .values({ ...row, hash: refresh.hash, expiresAt, familyEndsAt, usedAt: null, familyRevokedAt: null })
    .execute();
  await clearExpired(tx, 'accessTokens');
  await clearExpired(tx, 'refreshTokens');
  const user = await tx
    .selectFrom('users as u')
    .innerJoin('applications as a', (join) => join.on('a.id', '=', grant.application))
    .where('u.id', '=', grant.user)
    .select(['u.id as user', 'u.defaultProfile', 'a.permissions'])
    .executeTakeFirstOrThrow();
  return { accessToken: access.secret, refreshToken: refresh.secret, ...user };
}
