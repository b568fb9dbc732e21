import { createHash } from 'node:crypto';
import { identifyMessage } from '../bank/iso20022/message-kind.ts';
import { findBankFile, lockImports, recordBankFile } from '../ledger/bank/bank-files.ts';
import { inSavepoint, inTransaction, type Ledger, type LedgerTransaction } from '../ledger/ledger.ts';
import { RetryError } from '../platform/errors.ts';
import type { ImportedPart, StatementFile } from './file-report.ts';
import { readStatementFile } from './import-statement.ts';
import { readStatusFile, type StatusReport } from './import-status-report.ts';
import { readRecallFile, type RecallReport } from './recalls/import-recalls.ts';
import type { StatementReport } from './statement-report.ts';

/** What importing a file did, by the kind of its message. */
export type BankFileReport = StatementReport | StatusReport | RecallReport;

/**
 * Imports a file from the bank: whole or not at all, in one database transaction, the one that is open or one of its own, and in memory that does not grow with the
 * file. camt.053, camt.054 and camt.052 report money that moved, pain.002 what becomes of our payments, camt.056 which payments banks recall. A file with
 * the same content, or what was reported before, changes nothing; nor does any file with `isPreview`, whose report says what importing it would do. Imports
 * wait for each other.
 *
 * Throws the reader's `StopError` for a file that cannot be applied, and `import_busy` when another import does not end in time, or when PostgreSQL ends this one because
 * another change of the ledger and it wait for each other.
 */
export async function importBankFile(ledger: Ledger, file: StatementFile, { isPreview = false } = {}): Promise<BankFileReport> {
  let report: BankFileReport | undefined;
  try {
    return await inTransaction(ledger, async (tx) => {
      await lockImports(tx);
      return inSavepoint(tx, async () => {
        report = await applyFile(tx, file);
        if (isPreview || report.state === 'already_imported') throw new RollBack();
        return report;
      });
    });
  } catch (error) {
    if (error instanceof RollBack && report !== undefined) return report;
    const reason = busyReasons[(error as { code?: string }).code ?? ''];
    if (reason === undefined) throw error;
    const message = `${file.name} ${reason}. Nothing of it was applied; try again`;
    throw new RetryError({ code: 'import_busy', message, cause: error });
  }
}

async function applyFile(tx: LedgerTransaction, file: StatementFile): Promise<BankFileReport> {
  const { name } = file;
  const content = createHash('sha256');
  let bytes = 0;
  async function* hashed() {
    for await (const chunk of file.chunks) {
      content.update(chunk);
      bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
      yield chunk;
    }
  }
  const { message, chunks } = await identifyMessage(hashed());
  const part: ImportedPart = { ...file, chunks, onEntries: (entries) => file.onProgress?.({ entries, bytes }) };
  const read = message === 'pain.002' ? readStatusFile : message === 'camt.056' ? readRecallFile : readStatementFile;
  const finish = await read(tx, part);
  const hash = content.digest();
  const before = await findBankFile(tx, hash);
  if (before !== undefined) return { ...(before.report as BankFileReport), file: name, state: 'already_imported' };
  const report = { file: name, state: 'applied', hash: hash.toString('hex'), ...(await finish(hash)) } as BankFileReport;
  await recordBankFile(tx, { hash, name, message: report.message, report });
  return report;
}

/** Why an import can be tried again, by the SQLSTATE: `lock_not_available` (lock_timeout) and `deadlock_detected`. */
const busyReasons: Readonly<Record<string, string>> = {
  '55P03': 'waited in vain for another import to end',
  '40P01': 'and another change of the ledger waited for each other',
};

/** Ends a transaction that is not to be committed. */
class RollBack extends Error {}
