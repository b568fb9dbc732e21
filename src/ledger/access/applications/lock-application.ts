import { StopError } from '../../../platform/errors.ts';
import type { LedgerTransaction } from '../../ledger.ts';

/**
 * Keeps an application as it is until the transaction ends: nobody disables it meanwhile or makes a new secret, which would miss what the transaction adds.
 * Whoever locks a user or tokens as well locks the application first.
 */
export async function keepApplication(tx: LedgerTransaction, id: string): Promise<void> {
  await tx.selectFrom('applications').where('id', '=', id).select('id').forShare().execute();
}

/** Locks the row of an application until the transaction ends. Throws `not_found`. */
export async function lockApplication(tx: LedgerTransaction, id: string) {
  const application = await tx
    .selectFrom('applications')
    .where('id', '=', id)
    .select(['kind', 'disabledAt', 'approvedAt', 'origins', 'isConfidential', 'previousSecretUntil'])
    // Not `for update`: rows that refer to the application are still added meanwhile, by transactions that have locked a user.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (application) return application;
  throw new StopError({ code: 'not_found', message: `There is no application ${id}; \`mintrail app list\` lists them` });
}
