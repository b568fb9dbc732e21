import { sql } from 'kysely';
import { lockUser } from './users.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { Permission } from '../../schema/column-types.ts';

/** An application that a user let act for them. */
export interface Consent {
  application: string;
  name: string;
  permissions: Permission[];
  grantedAt: Date;
  /** When it last obtained a token; null when it never came back for one. */
  lastUsedAt: Date | null;
}

/** Rows of {@link listConsents} at most: more than anybody has applications. */
const maxConsents = 200;

/** The applications that a user let act for them, the latest consent first. */
export async function listConsents(ledger: Ledger, user: string): Promise<Consent[]> {
  return ledger
    .selectFrom('consents as c')
    .innerJoin('applications as a', 'a.id', 'c.application')
    .where('c.userId', '=', user)
    .where('a.disabledAt', 'is', null)
    .orderBy('c.grantedAt', 'desc')
    .orderBy('a.id')
    .limit(maxConsents)
    .select(['a.id as application', 'a.name', 'c.permissions', 'c.grantedAt', 'c.lastUsedAt'])
    .execute();
}

/**
 * Records that an application obtains a token by a user's consent. Returns false when the user has revoked it. A revocation at the same time
 * waits for the transaction, and so ends the token too.
 */
export async function useConsent(tx: LedgerTransaction, user: string, application: string): Promise<boolean> {
  const used = await tx
    .updateTable('consents')
    .set({ lastUsedAt: sql`now()` })
    .where('userId', '=', user)
    .where('application', '=', application)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** Takes a consent back, with all tokens and codes that came from it. Returns whether there was one. */
export async function revokeConsent(ledger: Ledger, user: string, application: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    await lockUser(tx, user);
    const codes = tx.deleteFrom('authorizationCodes').where('userId', '=', user).where('application', '=', application);
    // Codes before the consent, in the order in which a redemption locks them.
    await codes.execute();
    const revoked = await tx.deleteFrom('consents').where('userId', '=', user).where('application', '=', application).executeTakeFirst();
    for (const table of ['accessTokens', 'refreshTokens'] as const) {
      const tokens = tx.deleteFrom(table).where('userId', '=', user).where('application', '=', application);
      // What an application gets by its own secret needs no consent.
      await tokens.where('authMethod', 'is not', null).execute();
    }
    return revoked.numDeletedRows > 0n;
  });
}
