import { sql } from 'kysely';
import type { LedgerTransaction } from '../ledger.ts';
import type { Permission } from '../tables.ts';

export interface Consent {
  user: string;
  application: string;
  permissions: Permission[];
}

/** Keeps what a user has let an application do; the last consent replaces the one before. */
export async function recordConsent(tx: LedgerTransaction, { user, application, permissions }: Consent): Promise<void> {
  await tx
    .insertInto('consents')
    .values({ userId: user, application, permissions })
    .onConflict((conflict) => conflict.columns(['userId', 'application']).doUpdateSet({ permissions, grantedAt: sql<Date>`now()` }))
    .execute();
}
