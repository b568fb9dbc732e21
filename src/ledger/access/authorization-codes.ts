import { createHash, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type TokenPair, insertPair } from './access-tokens.ts';
import { createSecret, hashSecret } from './applications/secrets.ts';
import { keepApplication } from './applications/find-application.ts';
import { useConsent } from './consents.ts';
import { clearExpired } from './expired-rows.ts';
import { createGrant, endGrants, type Proof } from './grants.ts';
import { lockUser } from './users.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { Permission } from '../../schema/column-types.ts';

/** Lifetime of a code in seconds (docs/api.md, Authorization endpoint). */
const codeSeconds = 60;

/** How long a used code is remembered: as long as a grant lasts, which a second use of the code ends. */
const rememberedDays = 90;

/** What a user lets an application do, and how they proved who they are. */
export interface Authorization {
  user: string;
  application: string;
  permissions: Permission[];
  redirectUri: string;
  /** S256 (RFC 7636, section 4.2). */
  codeChallenge: string;
  proof: Proof;
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
  const grantId = await createGrant(tx, authorization);
  const { secret, hash } = createSecret();
  await tx
    .insertInto('authorizationCodes')
    .values({
      hash,
      grantId,
      redirectUri: authorization.redirectUri,
      codeChallenge: authorization.codeChallenge,
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
 * Exchanges a code for tokens, once. A second use with the right redirect URI and verifier revokes the tokens of the first, because then two parties hold
 * all that it takes (RFC 6749, section 4.1.2). A code of another client counts as unknown.
 */
export async function redeemCode(ledger: Ledger, exchange: CodeExchange): Promise<TokenPair | CodeError> {
  return inTransaction(ledger, async (tx) => {
    await keepApplication(tx, exchange.application);
    const known = await findCode(tx, exchange);
    if (!known) return 'unknown';
    // As everybody does who uses the code or ends the grant.
    await lockUser(tx, known.user);
    const code = await findCode(tx, exchange);
    if (!code) return 'unknown';
    // Before anything else: who only saw the code must not end what it gave.
    if (code.redirectUri !== exchange.redirectUri) return 'redirect_uri';
    if (!provesChallenge(exchange.codeVerifier, code.codeChallenge)) return 'code_verifier';
    if (code.usedAt !== null) {
      await endGrants(tx, sql`g.id = ${code.grant}`);
      return 'used';
    }
    if (code.hasEnded) return 'unknown';
    if (code.expired) return 'expired';
    await useConsent(tx, code.user, exchange.application);
    await tx
      .updateTable('authorizationCodes')
      .set({ usedAt: sql`now()` })
      .where('hash', '=', code.hash)
      .execute();
    return insertPair(tx, code.grant);
  });
}

function findCode(tx: LedgerTransaction, { application, code }: CodeExchange) {
  return tx
    .selectFrom('authorizationCodes as c')
    .innerJoin('grants as g', 'g.id', 'c.grantId')
    .innerJoin('applications as a', 'a.id', 'g.application')
    .where('c.hash', '=', hashSecret(code))
    .where('g.application', '=', application)
    .where('a.disabledAt', 'is', null)
    .select(['c.hash', 'g.id as grant', 'g.userId as user', 'c.redirectUri', 'c.codeChallenge', 'c.usedAt'])
    .select([sql<boolean>`c.expires_at <= now()`.as('expired'), sql<boolean>`g.ended_at is not null`.as('hasEnded')])
    .executeTakeFirst();
}

const verifierForm = /^\p{ASCII}{1,128}$/u;

/** RFC 7636, sections 4.1 and 4.6, S256. */
function provesChallenge(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false;
  const computed = createHash('sha256').update(verifier, 'ascii').digest();
  const expected = Buffer.from(challenge, 'base64url');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
