import { sql } from 'kysely';
import type { Rail } from '../../bank/rail.ts';
import { inTransaction, type Ledger } from '../ledger.ts';

/**
 * Hands the oldest recorded file that is not written yet to the rail, dated by now, and marks it as written. After a crash in between it is
 * written again under the same name. No two processes write a file at the same time. Returns its name, or `undefined` when all are written, and
 * while a recovery is open.
 */
export async function writeNextFile(ledger: Ledger, rail: Pick<Rail, 'date' | 'deliver'>): Promise<string | undefined> {
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
    const content = rail.date(file.content, new Date());
    await rail.deliver({ name: file.name, content });
    await tx
      .updateTable('paymentFiles')
      .set({ writtenAt: sql`now()`, content })
      .where('id', '=', file.id)
      .execute();
    return file.name;
  });
}
