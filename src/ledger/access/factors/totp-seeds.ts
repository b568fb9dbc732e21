import { sql } from 'kysely';
import type { Ledger, LedgerTransaction } from '../../ledger.ts';

/** The seed of a user's authenticator app. */
export interface TotpSeed {
  /** Sealed for the row of the user. */
  seed: string;
  /** Whether a code has activated it: only then it is a second factor. */
  isActive: boolean;
}

/** Where the seed of a user is stored, for its seal. */
export function seedField(user: string): { table: string; column: string; row: string } {
  return { table: 'totp_seeds', column: 'seed', row: user };
}

/** Keeps a sealed seed that waits for its first code, in place of an earlier one that waits. Returns false when one is active. */
export async function keepSeed(ledger: Ledger, user: string, seed: string): Promise<boolean> {
  const kept = await ledger
    .insertInto('totpSeeds')
    .values({ userId: user, seed, activatedAt: null, lastStep: null })
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet({ seed, createdAt: sql<Date>`now()`, lastStep: null })
        .where('totpSeeds.activatedAt', 'is', null),
    )
    .returning('userId')
    .executeTakeFirst();
  return kept !== undefined;
}

/** The seed of a user; `undefined` when there is none. */
export async function findSeed(ledger: Ledger, user: string): Promise<TotpSeed | undefined> {
  const row = await ledger.selectFrom('totpSeeds').where('userId', '=', user).select(['seed', 'activatedAt']).executeTakeFirst();
  return row && { seed: row.seed, isActive: row.activatedAt !== null };
}

/** The same, locked until the transaction ends: a rotation of the key seals it anew before or after, and not between a check and its record. */
export async function lockSeed(tx: LedgerTransaction, user: string): Promise<TotpSeed | undefined> {
  const row = await tx.selectFrom('totpSeeds').where('userId', '=', user).select(['seed', 'activatedAt']).forUpdate().executeTakeFirst();
  return row && { seed: row.seed, isActive: row.activatedAt !== null };
}

/**
 * Uses the code of a time step, which was checked with this sealed seed, and activates the seed with its first. Returns whether the code
 * counts: each step counts once, and none after a later one (RFC 6238, section 5.2).
 */
export async function useTimeStep(ledger: Ledger, user: string, { seed, step }: { seed: string; step: number }): Promise<boolean> {
  const used = await ledger
    .updateTable('totpSeeds')
    .set({ lastStep: BigInt(step), activatedAt: sql`coalesce(activated_at, now())` })
    .where('userId', '=', user)
    .where('seed', '=', seed)
    .where((where) => where.or([where('lastStep', 'is', null), where('lastStep', '<', BigInt(step))]))
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** Removes the seed of a user. Returns whether there was an active one. */
export async function removeSeed(ledger: Ledger, user: string): Promise<boolean> {
  const removed = await ledger.deleteFrom('totpSeeds').where('userId', '=', user).returning('activatedAt').executeTakeFirst();
  return removed?.activatedAt !== null && removed !== undefined;
}
