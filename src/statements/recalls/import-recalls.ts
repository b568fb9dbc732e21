import { realReference } from '../../bank/iso20022/placeholder.ts';
import { readRecalls, type ReportedRecall } from '../../bank/iso20022/recalls/camt-056.ts';
import type { BankRecall } from '../../bank/recall.ts';
import { createRecallRecorder } from '../../ledger/bank/recalls/record-recalls.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { formatAmount } from '../../platform/money.ts';
import { withoutUndefined } from '../../bank/without-undefined.ts';
import { type FileReport, type FinishImport, type ImportedPart, maxAlerts } from '../file-report.ts';

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
  const report = createRecallReport();
  const record = await createRecallRecorder(tx, file.name);
  let entries = 0;
  for await (const reported of readRecalls(file.chunks)) {
    const { recall } = reported;
    const isNew = await record({ recall, endToEndId: realReference(recall.payment.endToEndId) });
    report.add(reported, isNew);
    entries += 1;
    file.onEntries(entries);
  }
  return async () => report.finish();
}

/** The code of a reason alone: reports are logged, and the bank's text may name somebody. */
function codeOf(reason = ''): string {
  const code = /^[A-Z0-9]{1,4}(?=$|[:;])/.exec(reason)?.[0];
  return code === undefined ? '' : ` (${code})`;
}

/** Collects what a file of recalls did, in bounded memory. */
function createRecallReport() {
  const counts: RecallReport['counts'] = { recalls: 0, known: 0, alerts: 0 };
  const alerts: RecallLine[] = [];

  function alert(line: number, { caseId, payment: { endToEndId }, amount, currency, isOfWholeMessage, ...recall }: BankRecall): void {
    counts.alerts += 1;
    if (alerts.length >= maxAlerts) return;
    const text = amount === undefined ? undefined : formatAmount(amount);
    const reason = `a bank recalls ${isOfWholeMessage ? 'a whole message' : 'this payment'}${codeOf(recall.reason)}: see \`mintrail bank recalls\``;
    alerts.push(withoutUndefined({ line, caseId, endToEndId, amount: text, currency, reason }));
  }

  return {
    add({ line, recall }: ReportedRecall, isNew: boolean): void {
      counts[isNew ? 'recalls' : 'known'] += 1;
      if (isNew) alert(line, recall);
    },
    finish: () => ({ message: 'camt.056' as const, counts, alerts, omitted: counts.alerts - alerts.length }),
  };
}
