import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import type { ApplicationKind } from './application-kinds.ts';
import { disabled, lockApplication } from './find-application.ts';

/** Makes the credentials of an application valid in production, once. Throws `not_found`, and as {@link requireWaiting}. */
export async function approveApplication(ledger: Ledger, id: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    requireWaiting(await lockApplication(tx, id));
    await tx
      .updateTable('applications')
      .set({ approvedAt: sql`now()` })
      .where('id', '=', id)
      .execute();
  });
}

/** Throws `not_possible` unless an application waits for the approval of an operator. */
export function requireWaiting(application: { id: string; kind: ApplicationKind; disabledAt: Date | null; approvedAt: Date | null }): void {
  const { id, kind, disabledAt, approvedAt } = application;
  if (disabledAt !== null) throw disabled(id);
  if (approvedAt !== null) throw new StopError({ code: 'not_possible', message: `The application ${id} is approved already` });
  if (kind === 'private')
    throw new StopError({
      code: 'not_possible',
      message: `The application ${id} is private: it becomes active when the profile of its owner is approved`,
    });
}
