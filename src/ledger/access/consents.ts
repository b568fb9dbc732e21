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
    .values({ user_id: user, application, permissions })
    .onConflict((conflict) => conflict.columns(['user_id', 'application']).doUpdateSet({ permissions, granted_at: sql<Date>`now()` }))
    .execute();
}
