import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { SealedField, Sealer } from '../../../platform/sealing.ts';
import type { Ledger, LedgerTransaction } from '../../ledger.ts';
import { type Subject, subjectColumn, subjectValues } from '../subject.ts';

/** The seed of an authenticator app: one that counts, or one that waits for its first code. */
export interface TotpSeed {
  id: string;
  /** Sealed for its row. */
  seed: string;
}

/** Keeps a seed that waits for its first code, in place of an earlier one that waits. Whoever calls it holds the lock of the subject. */
export async function keepSeed(tx: LedgerTransaction, sealer: Sealer, subject: Subject, seed: string): Promise<void> {
  await seedsOf(tx, subject).where('activatedAt', 'is', null).execute();
  const id = randomUUID();
  const values = { id, ...subjectValues(subject), seed: sealer.seal(seed, fieldOf(id)), activatedAt: null, lastStep: null };
  await tx.insertInto('totpSeeds').values(values).execute();
}

/** The text of a seed. */
export function openSeed(sealer: Sealer, { id, seed }: TotpSeed): string {
  return sealer.unseal(seed, fieldOf(id));
}

/** The seed of somebody that counts, or the one that waits; `undefined` when there is none. */
export async function findSeed(ledger: Ledger, subject: Subject, which: 'active' | 'waiting'): Promise<TotpSeed | undefined> {
  return selected(ledger, subject, which).executeTakeFirst();
}

/** The same, locked until the transaction ends: a rotation of the key seals it anew before or after, and not between a check and its record. */
export async function lockSeed(tx: LedgerTransaction, subject: Subject, which: 'active' | 'waiting'): Promise<TotpSeed | undefined> {
  return selected(tx, subject, which).forUpdate().executeTakeFirst();
}

/** Whether somebody has an app whose codes count. */
export async function hasTotp(ledger: Ledger, subject: Subject): Promise<boolean> {
  return (await findSeed(ledger, subject, 'active')) !== undefined;
}

/** Uses the code of a time step. Returns whether it counts: each step counts once, and none after a later one (RFC 6238, section 5.2). */
export async function useTimeStep(tx: LedgerTransaction, { id }: TotpSeed, step: number): Promise<boolean> {
  const used = await tx
    .updateTable('totpSeeds')
    .set({ lastStep: BigInt(step) })
    .where('id', '=', id)
    .where((where) => where.or([where('lastStep', 'is', null), where('lastStep', '<', BigInt(step))]))
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** Lets the codes of a seed that waited count, and those of the one before no more. */
export async function activateSeed(tx: LedgerTransaction, subject: Subject, { id }: TotpSeed): Promise<void> {
  await seedsOf(tx, subject).where('id', '!=', id).execute();
  await tx
    .updateTable('totpSeeds')
    .set({ activatedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** Removes the seeds of somebody. Returns whether one of them counted. */
export async function removeSeeds(ledger: Ledger, subject: Subject): Promise<boolean> {
  const removed = await seedsOf(ledger, subject).returning('activatedAt').execute();
  return removed.some(({ activatedAt }) => activatedAt !== null);
}

function selected(ledger: Ledger, subject: Subject, which: 'active' | 'waiting') {
  return ledger
    .selectFrom('totpSeeds')
    .where(subjectColumn(subject), '=', subject.id)
    .where('activatedAt', which === 'active' ? 'is not' : 'is', null)
    .select(['id', 'seed']);
}

function seedsOf(ledger: Ledger, subject: Subject) {
  return ledger.deleteFrom('totpSeeds').where(subjectColumn(subject), '=', subject.id);
}

function fieldOf(row: string): SealedField {
  return { table: 'totp_seeds', column: 'seed', row };
}
