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

/**
 * Says what there may be to do for the payments to the bank: `legs` of which payments are made, `payments` that are not sent, whether or not they are due, and payment
 * `files` that are not written. One statement, and an index lookup for each: mostly there is nothing.
 */
export async function readPaymentDuties(ledger: Ledger) {
  const { rows } = await sql<{ legs: boolean; payments: boolean; files: boolean }>`
    select
      (select true from open_legs where chain is null and claim_state = 'ready' limit 1) is true as legs,
      (select true from payments where state = 'ready' order by id limit 1) is true as payments,
      (select true from payment_files where written_at is null order by created_at limit 1) is true as files
  `.execute(ledger);
  return rows[0] ?? { legs: true, payments: true, files: true };
}
