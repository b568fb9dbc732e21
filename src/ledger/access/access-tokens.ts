import { sql } from 'kysely';
import type { Application } from './applications/authenticate-application.ts';
import { createSecret, hashSecret } from './applications/secrets.ts';
import { keepApplication } from './applications/find-application.ts';
import { useConsent } from './consents.ts';
import { clearExpired } from './expired-rows.ts';
import { accessTokenSeconds, createGrant, distrustGrants } from './grants.ts';
import { lockUser } from './users.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { Permission } from '../../schema/column-types.ts';
import type { Caller } from './permissions.ts';

/** Lifetime of a refresh token in days (docs/api.md, Token endpoint). */
const refreshTokenDays = 30;

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

/** Issues the first tokens of a new grant to an application acting for its owner. */
export async function issueTokens(ledger: Ledger, { id: application, owner: user }: Application): Promise<TokenPair> {
  return inTransaction(ledger, async (tx) => insertPair(tx, await createGrant(tx, { application, user })));
}

/**
 * Exchanges a refresh token for a new pair, once. After a second use the grant is distrusted ({@link distrustGrants}), because then two parties hold the
 * token (RFC 9700, section 4.14). Only an authenticated use counts where the application's refreshes need its secret.
 */
export async function refreshTokens(
  ledger: Ledger,
  { application, isAuthenticated, refreshToken }: Refresh,
): Promise<TokenPair | RefreshError> {
  const hash = hashSecret(refreshToken);
  return inTransaction(ledger, async (tx) => {
    const known = await findRefreshToken(tx, hash);
    if (!known) return 'unknown';
    if (known.application !== application) return 'other_client';
    if (!isAuthenticated && known.refreshNeedsSecret) return 'unauthenticated';
    await keepApplication(tx, application);
    const token = await lockRefreshToken(tx, known.user, hash);
    if (!token) return 'unknown';
    if (token.usedAt !== null) {
      await distrustGrants(tx, sql`g.id = ${token.grant}`);
      return 'reused';
    }
    if (token.hasEnded) return 'unknown';
    if (token.expired) return 'expired';
    if (token.authMethod !== null) await useConsent(tx, token.user, application);
    await tx
      .updateTable('refreshTokens')
      .set({ usedAt: sql`now()` })
      .where('hash', '=', hash)
      .execute();
    return insertPair(tx, token.grant);
  });
}

/** Whom an access token stands for, and until when. */
export type KnownCaller = Caller & { expiresAt: Date };

/** The caller that an access token stands for; `undefined` when it is unknown, expired or revoked, or its application is disabled. */
export async function findCaller(ledger: Ledger, accessTokenHash: Buffer): Promise<KnownCaller | undefined> {
  const [caller] = await findCallers(ledger, [accessTokenHash]);
  return caller;
}

/** The callers that access tokens stand for, each at its token's position, by one query ({@link findCaller}). */
export async function findCallers(ledger: Ledger, accessTokenHashes: readonly Buffer[]): Promise<(KnownCaller | undefined)[]> {
  const rows = await ledger
    .selectFrom('accessTokens as t')
    .innerJoin('grants as g', 'g.id', 't.grantId')
    .innerJoin('applications as a', 'a.id', 'g.application')
    .innerJoin('users as u', 'u.id', 'g.userId')
    .where(sql<boolean>`t.hash = any(${[...accessTokenHashes]}::bytea[])`)
    .where('t.expiresAt', '>', sql<Date>`now()`)
    .where('g.endedAt', 'is', null)
    .where('a.disabledAt', 'is', null)
    .select(['t.hash as token', 'a.id as application', 'a.kind', 'u.id as user', 'u.defaultProfile', 't.expiresAt', 'g.id as grant'])
    .select(['g.authMethod as method', 'g.authSubject as subject', 'g.authChain as chain', 'a.permissions'])
    .execute();
  const callers = rows.map(({ method, subject, chain, ...known }): [string, KnownCaller] => {
    const authorization = method === null || subject === null ? undefined : { method, subject, ...(chain === null ? {} : { chain }) };
    return [known.token.toString('hex'), authorization === undefined ? known : { ...known, authorization }];
  });
  const byToken = new Map(callers);
  return accessTokenHashes.map((hash) => byToken.get(hash.toString('hex')));
}

async function findRefreshToken(tx: LedgerTransaction, hash: Buffer) {
  return tx
    .selectFrom('refreshTokens as t')
    .innerJoin('grants as g', 'g.id', 't.grantId')
    .innerJoin('applications as a', 'a.id', 'g.application')
    .where('t.hash', '=', hash)
    .select(['g.application', 'g.userId as user', 'g.id as grant', 'g.authMethod', 'a.refreshNeedsSecret', 't.usedAt'])
    .select([sql<boolean>`t.expires_at <= now()`.as('expired'), sql<boolean>`g.ended_at is not null`.as('hasEnded')])
    .executeTakeFirst();
}

/** A refresh token, and whether its grant has ended, as they stay until the transaction ends: whoever ends a grant or uses the token locks the user or the application. */
export async function lockRefreshToken(tx: LedgerTransaction, user: string, hash: Buffer) {
  await lockUser(tx, user);
  return findRefreshToken(tx, hash);
}

/** Adds tokens to a grant, which it outlives. Refresh tokens expire with it at the latest. */
export async function insertPair(tx: LedgerTransaction, grant: string): Promise<TokenPair> {
  const access = createSecret();
  const refresh = createSecret();
  await tx
    .insertInto('accessTokens')
    .values({ hash: access.hash, grantId: grant, expiresAt: sql`now() + make_interval(secs => ${accessTokenSeconds})` })
    .execute();
  await tx
    .updateTable('grants')
    .set({ refreshedAt: sql`now()`, keptUntil: sql`now() + interval '31 days'` })
    .where('id', '=', grant)
    .execute();
  const expiresAt = sql<Date>`(select least(now() + make_interval(days => ${refreshTokenDays}), ends_at) from grants where id = ${grant})`;
  await tx.insertInto('refreshTokens').values({ hash: refresh.hash, grantId: grant, expiresAt, usedAt: null }).execute();
  await clearExpired(tx, 'accessTokens');
  await clearExpired(tx, 'refreshTokens');
  const user = await tx
    .selectFrom('grants as g')
    .innerJoin('users as u', 'u.id', 'g.userId')
    .innerJoin('applications as a', 'a.id', 'g.application')
    .where('g.id', '=', grant)
    .select(['u.id as user', 'u.defaultProfile', 'a.permissions'])
    .executeTakeFirstOrThrow();
  return { accessToken: access.secret, refreshToken: refresh.secret, ...user };
}
