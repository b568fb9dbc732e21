import { sql } from 'kysely';
import { distrustGrantsOf } from '../grants.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockApplication } from './find-application.ts';

/**
 * Disables an application and ends its tokens; what was linked through it alone signs nobody in any more. Each copy of the API caches callers, so a token may work for three seconds more.
 * Returns false when the application was disabled before. Throws `not_found`.
 */
export async function disableApplication(ledger: Ledger, id: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const { disabledAt } = await lockApplication(tx, id);
    if (disabledAt !== null) return false;
    await tx
      .updateTable('applications')
      .set({ disabledAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    await distrustGrantsOf(tx, id);
    return true;
  });
}
