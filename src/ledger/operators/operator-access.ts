import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { removePassword } from '../access/passwords.ts';
import { removeFactors } from '../access/factors/second-factors.ts';
import { endSessionsOf } from '../access/sessions.ts';
import { operatorSubject } from '../access/subject.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { withdrawApprovalsOf } from './approvals.ts';
import { type InvitationOptions, inviteOperator, voidCodesOf } from './invitations.ts';
import { lockOperator } from './operators.ts';

/**
 * Takes all that an operator signs in with away, and ends what they have begun: for whoever has lost it, or may have lost it to others. Returns the secret of a new invitation. Throws `not_found`.
 */
export async function resetOperator(ledger: Ledger, name: string, options: InvitationOptions = {}): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    await removePassword(tx, operatorSubject(operator.name));
    await removeFactors(tx, operatorSubject(operator.name));
    await endActsOf(tx, operator.name);
    return inviteOperator(tx, operator.name, options);
  });
}

/**
 * Lets an operator who is disabled back in, with the role that they had: by a new invitation, because nothing that they signed in with before counts any more.
 * Returns the secret of the invitation. Throws `not_found` and `not_possible`.
 */
export async function enableOperator(ledger: Ledger, name: string, options: InvitationOptions = {}): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    if (operator.disabledAt === null)
      throw new StopError({
        code: 'not_possible',
        message: `The operator ${operator.name} is not disabled: \`mintrail operator reset\` makes a new invitation`,
      });
    await tx.updateTable('operators').set({ disabledAt: null }).where('name', '=', operator.name).execute();
    return resetOperator(tx, operator.name, options);
  });
}

/**
 * Disables an operator: nothing signs them in any more, and what they have begun ends. Throws `not_found`.
 */
export async function disableOperator(ledger: Ledger, name: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    await tx
      .updateTable('operators')
      .set({ disabledAt: sql`now()` })
      .where('name', '=', operator.name)
      .where('disabledAt', 'is', null)
      .execute();
    await tx.deleteFrom('operatorInvitations').where('operator', '=', operator.name).execute();
    await endActsOf(tx, operator.name);
  });
}

/** Ends what an operator has begun, who may not have been themselves: sessions, what they have asked for or approved, and the codes that they made for others. */
async function endActsOf(tx: LedgerTransaction, operator: string): Promise<void> {
  await endSessionsOf(tx, operatorSubject(operator));
  await withdrawApprovalsOf(tx, operator);
  await voidCodesOf(tx, operator);
}
