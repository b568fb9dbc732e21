import { lockImports } from '../ledger/bank/bank-files.ts';
import { laneQueue } from '../ledger/lane-queue.ts';
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts';
import { RetryError } from '../platform/errors.ts';
import type { Waker } from '../platform/queue.ts';

/**
 * Runs an import in a transaction of its own, while no other one runs, and commits what it applied. Then wakes the lanes
 * of the networks that it collected in `chains`.
 */
export async function inImport<Report extends { state: 'applied' | 'already_imported' }>(
  ledger: Ledger,
  { name, waker }: { name: string; waker?: Pick<Waker, 'wake'> },
  apply: (tx: LedgerTransaction, chains: Set<string>) => Promise<Report>,
): Promise<Report> {
  const transaction = await ledger.startTransaction().execute();
  const chains = new Set<string>();
  try {
    await lockImports(transaction);
    const report = await apply(transaction, chains);
    if (report.state === 'applied') await transaction.commit().execute();
    else await transaction.rollback().execute();
    if (report.state === 'applied') for (const chain of chains) waker?.wake(laneQueue(chain));
    return report;
  } catch (error) {
    // A connection that is lost has rolled back by itself.
    if (!transaction.isCommitted && !transaction.isRolledBack)
      await transaction
        .rollback()
        .execute()
        .catch(() => {});
    // 55P03: lock_timeout.
    if ((error as { code?: string }).code !== '55P03') throw error;
    const message = `${name} waited in vain for another import to end. Nothing of it was applied; try again`;
    throw new RetryError({ code: 'import_busy', message, cause: error });
  }
}
