import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../ledger.ts';

/**
 * Writes the oldest recorded file that is not written yet, by `write`, and marks it as written. After a crash in between the same content is
 * written again under the same name. No two processes write a file at the same time. Returns its name, or `undefined` when all are written, and
 * while a recovery is open.
 */
export async function writeNextFile(
  ledger: Ledger,
  write: (file: { name: string; content: string }) => Promise<void>,
): Promise<string | undefined> {
  return inTransaction(ledger, async (tx) => {
    const file = await tx
      .selectFrom('paymentFiles')
      .where('writtenAt', 'is', null)
      .where((file) => file.not(file.exists(file.selectFrom('recoveries').select('id').where('endedAt', 'is', null))))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .select(['id', 'name', 'content'])
      .executeTakeFirst();
    if (file === undefined) return undefined;
    await write(file);
    await tx
      .updateTable('paymentFiles')
      .set({ writtenAt: sql`now()` })
      .where('id', '=', file.id)
      .execute();
    return file.name;
  });
}
