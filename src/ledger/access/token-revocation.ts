import { sql } from 'kysely';
import { lockRefreshToken } from './access-tokens.ts';
import { hashSecret } from './applications/secrets.ts';
import { distrustGrants, endGrants } from './grants.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';

/**
 * Revokes a token at the request of the application that got it (RFC 7009, section 2.1): with a refresh token every token of its grant; with an
 * access token that one alone. A refresh token that was used before says, as at a refresh, that somebody else may have used it. Returns whether the token is one
 * of the application's own; an unknown token counts as revoked already, a token of another application stays.
 */
export async function revokeToken(ledger: Ledger, application: string, token: string): Promise<'revoked' | 'other_client'> {
  const hash = hashSecret(token);
  return inTransaction(ledger, async (tx) => {
    for (const table of ['refreshTokens', 'accessTokens'] as const) {
      const known = await tx
        .selectFrom(table)
        .innerJoin('grants as g', 'g.id', 'grantId')
        .where('hash', '=', hash)
        .select(['g.application', 'g.userId as user'])
        .executeTakeFirst();
      if (!known) continue;
      if (known.application !== application) return 'other_client';
      if (table === 'refreshTokens') await revokeGrant(tx, known.user, hash);
      else await tx.deleteFrom('accessTokens').where('hash', '=', hash).execute();
    }
    return 'revoked';
  });
}

async function revokeGrant(tx: LedgerTransaction, user: string, hash: Buffer): Promise<void> {
  const token = await lockRefreshToken(tx, user, hash);
  if (token) await (token.usedAt === null ? endGrants : distrustGrants)(tx, sql`g.id = ${token.grant}`);
}

/**
 * Takes back what a user, who is locked, granted to applications by signing in: consents, and the grants with what was linked through them. Applications that act by their own
 * secret keep their tokens.
 */
export async function revokeGrantsOf(tx: LedgerTransaction, user: string): Promise<void> {
  await distrustGrants(tx, sql`g.user_id = ${user} and g.auth_method is not null`);
  await tx.deleteFrom('consents').where('userId', '=', user).execute();
}
