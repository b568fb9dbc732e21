import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { type TokenPair, insertPair, revokeFamily, tokenFamilyDays } from './access-tokens.ts';
import { createSecret, hashSecret, keepApplication } from './applications.ts';
import { useConsent } from './consents.ts';
import { clearExpired } from './expired-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { AuthMethod, Permission } from '../../schema/column-types.ts';

/** Lifetime of a code in seconds (docs/api.md, Authorization endpoint). */
const codeSeconds = 60;

/** How long a used code is remembered: as long as the tokens that came from it, which a second use of the code revokes. */
const rememberedDays = tokenFamilyDays;

/** What a user lets an application do, and how they proved who they are. */
export interface Authorization {
  user: string;
  application: string;
  permissions: Permission[];
  redirectUri: string;
  /** S256 (RFC 7636, section 4.2). */
  codeChallenge: string;
  method: AuthMethod;
  subject: string;
  /** The chain whose contract has signed. */
  chain?: Chain | undefined;
}

/** What a client presents for a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */
export interface CodeExchange {
  application: string;
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

/** Why a code gives no tokens. */
export type CodeError = 'unknown' | 'used' | 'expired' | 'redirect_uri' | 'code_verifier';

/** Records the user's consent and issues the code that stands for it; only its SHA-256 is kept. */
export async function issueCode(tx: LedgerTransaction, authorization: Authorization): Promise<string> {
  await recordConsent(tx, authorization);
  const { secret, hash } = createSecret();
  await tx
    .insertInto('authorizationCodes')
    .values({
      hash,
      application: authorization.application,
      userId: authorization.user,
      redirectUri: authorization.redirectUri,
      codeChallenge: authorization.codeChallenge,
      authMethod: authorization.method,
      authSubject: authorization.subject,
      authChain: authorization.chain ?? null,
      family: randomUUID(),
      expiresAt: sql`now() + make_interval(secs => ${codeSeconds})`,
    })
    .execute();
  await clearExpired(tx, 'authorizationCodes', rememberedDays);
  return secret;
}

/** Stores what a user lets an application do. A consent replaces the one before. */
async function recordConsent(tx: LedgerTransaction, { user, application, permissions }: Authorization): Promise<void> {
  await tx
    .insertInto('consents')
    .values({ userId: user, application, permissions })
    .onConflict((conflict) => conflict.columns(['userId', 'application']).doUpdateSet({ permissions, grantedAt: sql<Date>`now()` }))
    .execute();
}

/**
 * Exchanges a code for tokens, once. A second use revokes the tokens of the first, because then two parties hold the code
 * (RFC 6749, section 4.1.2). A code of another client counts as unknown.
 */
export async function redeemCode(ledger: Ledger, exchange: CodeExchange): Promise<TokenPair | CodeError> {
  return inTransaction(ledger, async (tx) => {
    await keepApplication(tx, exchange.application);
    const code = await tx
      .selectFrom('authorizationCodes as c')
      .innerJoin('applications as a', 'a.id', 'c.application')
      .where('c.hash', '=', hashSecret(exchange.code))
      .where('c.application', '=', exchange.application)
      .where('a.disabledAt', 'is', null)
      .select(['c.hash', 'c.application', 'c.userId as user', 'c.family', 'c.redirectUri', 'c.codeChallenge'])
      .select(['c.authMethod as method', 'c.authSubject as subject', 'c.authChain as chain', 'c.usedAt'])
      .select(sql<boolean>`c.expires_at <= now()`.as('expired'))
      .forUpdate('c')
      .executeTakeFirst();
    if (!code) return 'unknown';
    if (code.usedAt !== null) {
      await revokeFamily(tx, code.family);
      return 'used';
    }
    if (code.expired) return 'expired';
    if (code.redirectUri !== exchange.redirectUri) return 'redirect_uri';
    if (!provesChallenge(exchange.codeVerifier, code.codeChallenge)) return 'code_verifier';
    if (!(await useConsent(tx, code.user, code.application))) return 'unknown';
    await tx
      .updateTable('authorizationCodes')
      .set({ usedAt: sql`now()` })
      .where('hash', '=', code.hash)
      .execute();
    const { application, user, family, method, subject, chain } = code;
    return insertPair(tx, { application, user, family, proof: { method, subject, chain: chain ?? undefined } });
  });
}

const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/;

/** RFC 7636, sections 4.1 and 4.6, S256. */
function provesChallenge(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false;
  const computed = createHash('sha256').update(verifier, 'ascii').digest();
  const expected = Buffer.from(challenge, 'base64url');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
