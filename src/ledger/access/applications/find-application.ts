import { StopError } from '../../../platform/errors.ts';
import type { Ledger, LedgerTransaction } from '../../ledger.ts';

/** An application, with the email address of its owner. Throws `not_found`. */
export async function findApplication(ledger: Ledger, id: string) {
  return requireKnown(id, await applicationOf(ledger, id).executeTakeFirst());
}

/** Locks the row of an application until the transaction ends. Throws `not_found`. */
export async function lockApplication(tx: LedgerTransaction, id: string) {
  // Not `for update`: rows that refer to the application are still added meanwhile, by transactions that have locked a user.
  return requireKnown(id, await applicationOf(tx, id).forNoKeyUpdate('a').executeTakeFirst());
}

/**
 * Keeps an application as it is until the transaction ends: nobody disables it meanwhile or makes a new secret, which would miss what the transaction adds.
 * Whoever locks a user or tokens as well locks the application first.
 */
export async function keepApplication(tx: LedgerTransaction, id: string): Promise<void> {
  await tx.selectFrom('applications').where('id', '=', id).select('id').forShare().execute();
}

function applicationOf(ledger: Ledger, id: string) {
  return ledger
    .selectFrom('applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner')
    .where('a.id', '=', id)
    .select(['a.id', 'a.name', 'a.kind', 'u.email as owner', 'a.origins'])
    .select(['a.disabledAt', 'a.approvedAt', 'a.isConfidential', 'a.secretSetAt', 'a.previousSecretUntil']);
}

function requireKnown<Application>(id: string, application: Application | undefined): Application {
  if (application !== undefined) return application;
  throw new StopError({ code: 'not_found', message: `There is no application ${id}; \`mintrail app list\` lists them` });
}

/** That nothing brings a disabled application back. */
export function disabled(id: string): StopError {
  return new StopError({ code: 'not_possible', message: `The application ${id} is disabled: create another one` });
}
