import { identifyMessage } from '../bank/iso20022/message-kind.ts';
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts';
import { applyStatement, type StatementFile } from './import-statement.ts';
import type { StatementReport } from './statement-report.ts';
import { inImport } from './import-transaction.ts';
import { applyStatusReport } from './import-status-report.ts';
import type { StatusReport } from './status-report.ts';
import { applyRecalls } from './recalls/import-recalls.ts';
import type { RecallReport } from './recalls/recall-report.ts';

/** What importing a file did, by the kind of its message. */
export type BankFileReport = StatementReport | StatusReport | RecallReport;

/**
 * Imports a file from the bank, whole or not at all: camt.053, camt.054 and camt.052 report money that moved, pain.002 of what
 * becomes of our payments, camt.056 of payments that banks recall. Throws the reader's `StopError` for a file that cannot be applied.
 */
export async function importBankFile(ledger: Ledger, file: StatementFile): Promise<BankFileReport> {
  return inImport<BankFileReport>(ledger, file.name, (tx) => applyFile(tx, file));
}

/** What importing the file would do at this moment: it is applied and rolled back. Throws what {@link importBankFile} throws. */
export async function previewBankFile(ledger: Ledger, file: StatementFile): Promise<BankFileReport> {
  return inImport<BankFileReport>(ledger, file.name, (tx) => applyFile(tx, file), { isPreview: true });
}

async function applyFile(tx: LedgerTransaction, file: StatementFile): Promise<BankFileReport> {
  const { message, chunks } = await identifyMessage(file.chunks);
  if (message === 'pain.002') return applyStatusReport(tx, { ...file, chunks });
  if (message === 'camt.056') return applyRecalls(tx, { ...file, chunks });
  return applyStatement(tx, { ...file, chunks });
}
