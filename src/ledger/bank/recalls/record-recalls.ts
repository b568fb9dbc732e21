import { isUuid } from '../../../platform/uuid.ts';
import { StopError } from '../../../platform/errors.ts';
import type { BankRecall } from '../../../bank/recall.ts';
import { recallId } from '../../derived-ids.ts';
import type { LedgerTransaction } from '../../ledger.ts';

/** Recalls that wait for an answer at most: far more than operators could answer. */
const mostOpen = 10_000;

/** A recall to be recorded; `endToEndId` is undefined where the bank wrote a placeholder. */
export interface NewRecall {
  recall: BankRecall;
  endToEndId: string | undefined;
}

/**
 * Records a recall, once however often the bank sends it. Returns whether it is new. Throws `recalls_full` when there is no room, so that no file is half
 * applied.
 */
export async function recordRecall(tx: LedgerTransaction, source: string, { recall, endToEndId }: NewRecall): Promise<boolean> {
  const { amount, currency, payment } = recall;
  const { uetr, instructionId, transactionId, clearingReference } = payment;
  const facts = JSON.stringify({ ...recall, amount: amount?.toString() });
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('recalls')
    .values({
      id: recallId([recall.assigner, recall.caseId, recall.cancellationId, payment, amount?.toString(), currency]),
      amount: amount ?? null,
      currency: currency ?? null,
      endToEndId: endToEndId ?? null,
      uetr: uetr !== undefined && isUuid(uetr) ? uetr : null,
      numbers: [instructionId, transactionId, clearingReference].filter((number) => number !== undefined),
      facts,
      source,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) return false;
  const open = await tx.selectFrom('recalls').where('answer', 'is', null).select('id').offset(mostOpen).limit(1).execute();
  if (open.length > 0)
    throw new StopError({
      code: 'recalls_full',
      message: `More than ${mostOpen} recalls wait for an answer. Nothing of the file was applied`,
    });
  return true;
}
