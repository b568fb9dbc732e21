import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockSubject, type Subject, subjectColumn, subjectValues } from '../subject.ts';
import { hashCode, newRecoveryCodes } from './written-codes.ts';

/** Gives somebody new codes, each good once, in place of all earlier ones. Only their SHA-256 is kept. */
export async function makeRecoveryCodes(ledger: Ledger, subject: Subject): Promise<string[]> {
  const codes = newRecoveryCodes();
  await inTransaction(ledger, async (tx) => {
    await lockSubject(tx, subject);
    await tx.deleteFrom('recoveryCodes').where(subjectColumn(subject), '=', subject.id).execute();
    const rows = codes.map((code, index) => ({ hash: hashCode(code), ...subjectValues(subject), number: index + 1, usedAt: null }));
    await tx.insertInto('recoveryCodes').values(rows).execute();
  });
  return codes;
}

/** Uses up a code of somebody, however it is typed. Returns whether it was good. */
export async function useRecoveryCode(ledger: Ledger, subject: Subject, code: string): Promise<boolean> {
  const used = await ledger
    .updateTable('recoveryCodes')
    .set({ usedAt: sql`now()` })
    .where('hash', '=', hashCode(code))
    .where(subjectColumn(subject), '=', subject.id)
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** How many codes of somebody are still good. */
export async function countRecoveryCodes(ledger: Ledger, subject: Subject): Promise<number> {
  const { left } = await ledger
    .selectFrom('recoveryCodes')
    .where(subjectColumn(subject), '=', subject.id)
    .where('usedAt', 'is', null)
    .select(sql<number>`count(*)::int`.as('left'))
    .executeTakeFirstOrThrow();
  return left;
}
