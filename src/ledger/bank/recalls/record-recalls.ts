import { sql } from 'kysely';
import { isUuid } from '../../../platform/uuid.ts';
import { StopError } from '../../../platform/errors.ts';
import type { BankRecall } from '../../../bank/recall.ts';
import { recallId } from '../../derived-ids.ts';
import { toJson } from '../../input-rows.ts';
import type { LedgerTransaction } from '../../ledger.ts';

/** Recalls that wait for an answer at most: far more than operators could answer. */
const mostOpen = 10_000;

/** A recall to be recorded; `endToEndId` is undefined where the bank wrote a placeholder. */
export interface NewRecall {
  recall: BankRecall;
  endToEndId: string | undefined;
}

/**
 * Records the recalls of a file, each once however often the bank sends it; the result says whether one is new. Throws `not_possible` when there is no room, so that
 * no file is half applied.
 */
export async function createRecallRecorder(tx: LedgerTransaction, source: string): Promise<(recall: NewRecall) => Promise<boolean>> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select from recalls where answer is null limit ${mostOpen}) r
  `.execute(tx);
  let open = rows[0]?.count ?? 0;
  return async (recall) => {
    const isNew = await recordRecall(tx, source, recall);
    if (!isNew) return false;
    open += 1;
    if (open <= mostOpen) return true;
    const message = `More than ${mostOpen} recalls wait for an answer. Nothing of the file was applied: answer those that wait (\`mintrail bank recalls\`), then import it again`;
    throw new StopError({ code: 'not_possible', message });
  };
}

async function recordRecall(tx: LedgerTransaction, source: string, { recall, endToEndId }: NewRecall): Promise<boolean> {
  const { amount = null, currency = null, payment } = recall;
  const { uetr, instructionId, transactionId, clearingReference } = payment;
  const facts = toJson(recall);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('recalls')
    .values({
      id: recallId([recall.assigner, recall.caseId, recall.cancellationId, payment, recall.amount?.toString(), recall.currency]),
      amount,
      currency,
      endToEndId: endToEndId ?? null,
      uetr: uetr !== undefined && isUuid(uetr) ? uetr : null,
      numbers: [instructionId, transactionId, clearingReference].filter((number) => number !== undefined),
      facts,
      source,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}
