import { sql } from 'kysely';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { signOutEverywhere } from '../sign-out.ts';
import { lockSubject, type Subject, subjectColumn, userSubject } from '../subject.ts';
import { removePasskey } from './passkeys.ts';
import { hasTotp, removeSeeds } from './totp-seeds.ts';

/** The second factors of somebody: a user who has any is asked for one after the password. */
export interface SecondFactors {
  passkeys: number;
  hasTotp: boolean;
}

/** What somebody has besides the password. Recovery codes are no factor by themselves: they stand in for one. */
export async function findSecondFactors(ledger: Ledger, subject: Subject): Promise<SecondFactors> {
  const { passkeys } = await ledger
    .selectFrom('passkeys')
    .where(subjectColumn(subject), '=', subject.id)
    .select(sql<number>`count(*)::int`.as('passkeys'))
    .executeTakeFirstOrThrow();
  return { passkeys, hasTotp: await hasTotp(ledger, subject) };
}

/** Whether a second factor is asked for. */
export function isDue({ passkeys, hasTotp }: SecondFactors): boolean {
  return passkeys > 0 || hasTotp;
}

/**
 * Removes a factor of somebody, a passkey by its id or the authenticator app. Recovery codes end with the last factor, because they stand in for
 * one. Returns whether they had it.
 */
export async function removeFactor(ledger: Ledger, subject: Subject, factor: { passkey: string } | 'totp'): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    // Two at once would each leave the codes to the other.
    await lockSubject(tx, subject);
    const isRemoved = factor === 'totp' ? await removeSeeds(tx, subject) : await removePasskey(tx, subject, factor.passkey);
    if (!isDue(await findSecondFactors(tx, subject)))
      await tx.deleteFrom('recoveryCodes').where(subjectColumn(subject), '=', subject.id).execute();
    return isRemoved;
  });
}

/** Removes every factor of somebody except the password. Whoever calls it holds the lock of the subject. */
export async function removeFactors(tx: LedgerTransaction, subject: Subject): Promise<void> {
  for (const table of ['passkeys', 'totpSeeds', 'recoveryCodes'] as const)
    await tx.deleteFrom(table).where(subjectColumn(subject), '=', subject.id).execute();
}

/**
 * Removes every factor of a user who has lost them, for an operator, and signs the user out everywhere: the devices may be in other hands.
 * The password stays. Returns what there was.
 */
export async function resetFactors(ledger: Ledger, user: string): Promise<SecondFactors> {
  const subject = userSubject(user);
  return inTransaction(ledger, async (tx) => {
    // First: a factor that is being added is removed as well, and one that is added later finds its session ended.
    await lockSubject(tx, subject);
    const factors = await findSecondFactors(tx, subject);
    await removeFactors(tx, subject);
    await signOutEverywhere(tx, user);
    return factors;
  });
}
