import { revokeFamily } from './access-tokens.ts';
import { hashSecret } from './applications.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';

/**
 * Revokes a token at the request of the application that got it (RFC 7009, section 2.1): with a refresh token every token of its family, also when
 * it was used before; with an access token that one alone. Returns whether it is one of the application's own; an unknown token counts as
 * revoked already, a token of another application stays.
 */
export async function revokeToken(ledger: Ledger, application: string, token: string): Promise<'revoked' | 'other_client'> {
  const hash = hashSecret(token);
  return inTransaction(ledger, async (tx) => {
    const refreshToken = await tx.selectFrom('refreshTokens').where('hash', '=', hash).select(['application', 'family']).executeTakeFirst();
    if (refreshToken) {
      if (refreshToken.application !== application) return 'other_client';
      await revokeFamily(tx, refreshToken.family);
      return 'revoked';
    }
    const accessToken = await tx.selectFrom('accessTokens').where('hash', '=', hash).select('application').executeTakeFirst();
    if (accessToken && accessToken.application !== application) return 'other_client';
    await tx.deleteFrom('accessTokens').where('hash', '=', hash).execute();
    return 'revoked';
  });
}

/** Revokes what a user granted to applications by signing in, consents and tokens. Tokens of applications that act by their own secret stay. */
export async function revokeGrantsOf(tx: LedgerTransaction, user: string): Promise<void> {
  await tx.deleteFrom('authorizationCodes').where('userId', '=', user).where('usedAt', 'is', null).execute();
  const families = await tx
    .selectFrom('refreshTokens')
    .where('userId', '=', user)
    .where('authMethod', 'is not', null)
    .where('familyRevokedAt', 'is', null)
    .select('family')
    .distinct()
    // The same order for everybody: of two who revoke the same families, neither waits for the other's locks with its own in hand.
    .orderBy('family')
    .execute();
  for (const { family } of families) await revokeFamily(tx, family);
  // After the families, as a refresh locks them.
  await tx.deleteFrom('consents').where('userId', '=', user).execute();
}
