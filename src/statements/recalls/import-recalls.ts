import { readRecalls } from '../../bank/iso20022/recalls/camt-056.ts';
import type { BankRecall } from '../../bank/recall.ts';
import { realReference } from '../../bank/iso20022/placeholder.ts';
import { assertRoomForRecalls, recordRecall } from '../../ledger/bank/recalls/recall-records.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { formatAmount } from '../../platform/money.ts';
import { withoutUndefined } from '../../bank/without-undefined.ts';
import { createLines, type FileReport, type FinishImport, type ImportedPart } from '../file-report.ts';

/** A recall that an operator has to answer. */
export interface RecallLine {
  /** Line of the file. */
  line: number;
  caseId?: string;
  endToEndId?: string;
  amount?: string;
  currency?: string;
  reason: string;
}

/** What the import of a camt.056 file recorded. */
export interface RecallReport extends FileReport<RecallLine> {
  message: 'camt.056';
  /** New recalls, those that are known, and alerts. */
  counts: Record<'recalls' | 'known' | 'alerts', number>;
}

/** Records every recall of a camt.056 file, which waits for an operator. Throws the reader's `StopError`, and `not_possible`. */
export async function readRecallFile(tx: LedgerTransaction, file: ImportedPart): Promise<FinishImport<RecallReport>> {
  const alerts = createLines<RecallLine>();
  const counts = { recalls: 0, known: 0, alerts: 0 };
  let entries = 0;
  for await (const { line, recall } of readRecalls(file.chunks)) {
    if (await recordRecall(tx, file.name, { recall, endToEndId: realReference(recall.payment.endToEndId) })) {
      counts.recalls += 1;
      counts.alerts += 1;
      alerts.add(lineOf(line, recall));
    } else counts.known += 1;
    entries += 1;
    file.onEntries(entries);
  }
  await assertRoomForRecalls(tx);
  return async () => ({ message: 'camt.056', counts, alerts: alerts.lines, omitted: alerts.omitted() });
}

function lineOf(line: number, { caseId, payment: { endToEndId }, currency, isOfWholeMessage, ...recall }: BankRecall): RecallLine {
  const amount = recall.amount === undefined ? undefined : formatAmount(recall.amount);
  const reason = `a bank recalls ${isOfWholeMessage ? 'a whole message' : 'this payment'}${codeOf(recall.reason)}: see \`mintrail bank recalls\``;
  return withoutUndefined({ line, caseId, endToEndId, amount, currency, reason });
}

/** The code of a reason alone: reports are logged, and the bank's text may name somebody. */
function codeOf(reason = ''): string {
  const code = /^[A-Z0-9]{1,4}(?=$|[:;])/.exec(reason)?.[0];
  return code === undefined ? '' : ` (${code})`;
}
