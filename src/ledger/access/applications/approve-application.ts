import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockApplication } from './lock-application.ts';

/**
 * Makes the credentials of an application valid in production. Returns false when they were before. Throws `not_found`, and
 * `not_possible` for a private one.
 */
export async function approveApplication(ledger: Ledger, id: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const { approvedAt, kind } = await lockApplication(tx, id);
    if (approvedAt !== null) return false;
    if (kind === 'private')
      throw new StopError({
        code: 'not_possible',
        message: `The application ${id} is private: it becomes active when the profile of its owner is approved`,
      });
    await tx
      .updateTable('applications')
      .set({ approvedAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    return true;
  });
}
