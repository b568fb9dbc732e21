import { readRecalls } from '../../bank/iso20022/recalls/camt-056.ts';
import { realReference } from '../../bank/iso20022/placeholder.ts';
import { createRecallRecorder } from '../../ledger/bank/recalls/record-recalls.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import type { FinishImport, ImportedPart } from '../file-report.ts';
import { createRecallReport, type RecallReport } from './recall-report.ts';

/** Records every recall of a camt.056 file, which waits for an operator. Throws the reader's `StopError`, and `not_possible`. */
export async function readRecallFile(tx: LedgerTransaction, file: ImportedPart): Promise<FinishImport<RecallReport>> {
  const report = createRecallReport();
  const record = await createRecallRecorder(tx, file.name);
  let entries = 0;
  for await (const reported of readRecalls(file.chunks)) {
    const { recall } = reported;
    const isNew = recall !== undefined && (await record({ recall, endToEndId: realReference(recall.payment.endToEndId) }));
    report.add(reported, isNew);
    entries += 1;
    file.onEntries(entries);
  }
  return async () => report.finish();
}
