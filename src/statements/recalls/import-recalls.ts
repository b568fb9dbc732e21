import { readRecalls } from '../../bank/iso20022/recalls/camt-056.ts';
import { realReference } from '../../bank/iso20022/placeholder.ts';
import { findBankFile, recordBankFile } from '../../ledger/bank/bank-files.ts';
import { createRecallRecorder } from '../../ledger/bank/recalls/record-recalls.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { createContentHash } from '../content-hash.ts';
import type { StatementFile } from '../import-statement.ts';
import { createRecallReport, type RecallReport } from './recall-report.ts';

/** Imports a camt.056 file, between its lock and its commit: every recall in it waits for an operator. Throws the reader's `StopError`, and `not_possible`. */
export async function applyRecalls(
  tx: LedgerTransaction,
  file: Pick<StatementFile, 'name' | 'chunks' | 'onProgress'>,
): Promise<RecallReport> {
  const content = createContentHash(file.chunks);
  const report = createRecallReport(file.name);
  const record = await createRecallRecorder(tx, file.name);
  let entries = 0;
  for await (const reported of readRecalls(content.chunks)) {
    const { recall } = reported;
    const isNew = recall !== undefined && (await record({ recall, endToEndId: realReference(recall.payment.endToEndId) }));
    report.add(reported, isNew);
    entries += 1;
    file.onProgress?.({ entries, bytes: content.bytes() });
  }
  const hash = content.digest();
  const before = await findBankFile(tx, hash);
  if (before !== undefined) return { ...(before.report as RecallReport), file: file.name, state: 'already_imported' };
  const finished = report.finish(hash.toString('hex'));
  await recordBankFile(tx, { hash, name: file.name, message: finished.message, report: finished });
  return finished;
}
