import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockUser } from '../users.ts';
import { hashCode, newRecoveryCodes } from './written-codes.ts';

/** Gives a user new codes, each good once, in place of all earlier ones. Only their SHA-256 is kept. */
export async function makeRecoveryCodes(ledger: Ledger, user: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await inTransaction(ledger, async (tx) => {
    await lockUser(tx, user);
    await tx.deleteFrom('recoveryCodes').where('userId', '=', user).execute();
    const rows = codes.map((code, index) => ({ hash: hashCode(code), userId: user, number: index + 1, usedAt: null }));
    await tx.insertInto('recoveryCodes').values(rows).execute();
  });
  return codes;
}

/** Uses up a code of a user, however it is typed. Returns whether it was good. */
export async function useRecoveryCode(ledger: Ledger, user: string, code: string): Promise<boolean> {
  const used = await ledger
    .updateTable('recoveryCodes')
    .set({ usedAt: sql`now()` })
    .where('hash', '=', hashCode(code))
    .where('userId', '=', user)
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** How many codes of a user are still good. */
export async function countRecoveryCodes(ledger: Ledger, user: string): Promise<number> {
  const { left } = await ledger
    .selectFrom('recoveryCodes')
    .where('userId', '=', user)
    .where('usedAt', 'is', null)
    .select(sql<number>`count(*)::int`.as('left'))
    .executeTakeFirstOrThrow();
  return left;
}
