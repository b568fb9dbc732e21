import { sql } from 'kysely';
import { distrustGrants } from './grants.ts';
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

/** Records that an application obtains a token by a user's consent. */
export async function useConsent(tx: LedgerTransaction, user: string, application: string): Promise<void> {
  await tx
    .updateTable('consents')
    .set({ lastUsedAt: sql`now()` })
    .where('userId', '=', user)
    .where('application', '=', application)
    .execute();
}

/**
 * Takes a consent back, with all tokens and codes that came from it; what was linked through them signs nobody in any more, also after a later
 * consent. Returns whether there was one.
 */
export async function revokeConsent(ledger: Ledger, user: string, application: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    await lockUser(tx, user);
    // What an application gets by its own secret needs no consent.
    await distrustGrants(tx, sql`g.user_id = ${user} and g.application = ${application} and g.auth_method is not null`);
    const revoked = await tx.deleteFrom('consents').where('userId', '=', user).where('application', '=', application).executeTakeFirst();
    return revoked.numDeletedRows > 0n;
  });
}
