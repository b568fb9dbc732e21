import { lockImports } from '../ledger/bank/bank-files.ts';
import { inSavepoint, inTransaction, type Ledger, type LedgerTransaction } from '../ledger/ledger.ts';
import { RetryError } from '../platform/errors.ts';

/**
 * Runs an import in a transaction, the one that is open or one of its own, while no other import runs. Its changes stand, unless its report says that the file
 * was imported before, or `isPreview`: then it changes nothing. Throws `import_busy` when another import does not end in time, or
 * when PostgreSQL ends it because another change of the ledger and it wait for each other.
 */
export async function inImport<Report extends { state: 'applied' | 'already_imported' }>(
  ledger: Ledger,
  name: string,
  apply: (tx: LedgerTransaction) => Promise<Report>,
  { isPreview = false }: { isPreview?: boolean } = {},
): Promise<Report> {
  let report: Report | undefined;
  try {
    return await inTransaction(ledger, async (tx) => {
      await lockImports(tx);
      return inSavepoint(tx, async () => {
        report = await apply(tx);
        if (isPreview || report.state === 'already_imported') throw new RollBack();
        return report;
      });
    });
  } catch (error) {
    if (error instanceof RollBack && report !== undefined) return report;
    const reason = busyReasons[(error as { code?: string }).code ?? ''];
    if (reason === undefined) throw error;
    const message = `${name} ${reason}. Nothing of it was applied; try again`;
    throw new RetryError({ code: 'import_busy', message, cause: error });
  }
}

/** Why an import can be tried again, by the SQLSTATE: `lock_not_available` (lock_timeout) and `deadlock_detected`. */
const busyReasons: Readonly<Record<string, string>> = {
  '55P03': 'waited in vain for another import to end',
  '40P01': 'and another change of the ledger waited for each other',
};

/** Ends a transaction that is not to be committed. */
class RollBack extends Error {}
