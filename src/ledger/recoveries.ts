import { sql } from 'kysely';
import type { Ledger } from './ledger.ts';
import { payoutQueue } from './wake-ups.ts';

/** Who begins a recovery when a bank reports a payment that this ledger has not sent. */
export const bankKnowsMore = 'the bank';

/** A time in which no payment leaves, because it may have been made before the ledger was restored. */
export interface Recovery {
  beganAt: Date;
  /** A chain or the bank, which knows what this ledger does not, or an operator. */
  beganBy: string;
}

/** Begins a recovery: from now on no payment leaves. Does nothing while one is open. Returns whether it began. */
export async function beginRecovery(ledger: Ledger, by: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await ledger
    .insertInto('recoveries')
    .values({ beganBy: by })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Ends the open recovery: payments leave again. Returns whether there was one. */
export async function endRecovery(ledger: Ledger, operator: string): Promise<boolean> {
  const { numUpdatedRows } = await ledger
    .updateTable('recoveries')
    .set({ endedAt: sql`now()`, endedBy: operator })
    .where('endedAt', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) ledger.wakeUps.add(payoutQueue);
  return numUpdatedRows > 0n;
}

/** The recovery that is open; undefined when there is none. */
export async function openRecovery(ledger: Ledger): Promise<Recovery | undefined> {
  return ledger.selectFrom('recoveries').where('endedAt', 'is', null).select(['beganAt', 'beganBy']).executeTakeFirst();
}
