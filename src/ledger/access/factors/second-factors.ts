import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { removePasskey } from './passkeys.ts';
import { removeSeed } from './totp-seeds.ts';
import { signOutEverywhere } from '../sign-out.ts';
import { lockUser } from '../users.ts';

/** The second factors of a user: a user who has any is asked for one after the password. */
export interface SecondFactors {
  passkeys: number;
  hasTotp: boolean;
}

/** What a user has besides the password. Recovery codes are no factor by themselves: they stand in for one. */
export async function findSecondFactors(ledger: Ledger, user: string): Promise<SecondFactors> {
  const { rows } = await sql<SecondFactors>`
    select (select count(*)::int from passkeys where user_id = ${user}) as passkeys,
      exists(select from totp_seeds where user_id = ${user} and activated_at is not null) as "hasTotp"
  `.execute(ledger);
  return rows[0] ?? { passkeys: 0, hasTotp: false };
}

/** Whether a second factor is asked for. */
export function isDue({ passkeys, hasTotp }: SecondFactors): boolean {
  return passkeys > 0 || hasTotp;
}

/**
 * Removes a factor of a user, a passkey by its id or the authenticator app. Recovery codes end with the last factor, because they stand in for
 * one. Returns whether the user had it.
 */
export async function removeFactor(ledger: Ledger, user: string, factor: { passkey: string } | 'totp'): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    // Two at once would each leave the codes to the other.
    await lockUser(tx, user);
    const isRemoved = factor === 'totp' ? await removeSeed(tx, user) : await removePasskey(tx, user, factor.passkey);
    if (!isDue(await findSecondFactors(tx, user))) await tx.deleteFrom('recoveryCodes').where('userId', '=', user).execute();
    return isRemoved;
  });
}

/**
 * Removes every factor of a user who has lost them, for an operator, and signs the user out everywhere: the devices may be in other hands.
 * The password stays. Returns what there was.
 */
export async function resetFactors(ledger: Ledger, user: string): Promise<SecondFactors> {
  return inTransaction(ledger, async (tx) => {
    // First: a factor that is being added is removed as well, and one that is added later finds its session ended.
    await lockUser(tx, user);
    const factors = await findSecondFactors(tx, user);
    for (const table of ['passkeys', 'totpSeeds', 'recoveryCodes'] as const)
      await tx.deleteFrom(table).where('userId', '=', user).execute();
    await signOutEverywhere(tx, user);
    return factors;
  });
}
