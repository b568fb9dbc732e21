import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { isOperatorName } from '../../platform/settings/setting-values.ts';
import { endSessionsOf } from '../access/sessions.ts';
import { operatorSubject } from '../access/subject.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { OperatorRole } from '../../schema/states.ts';

/** Every role, from the one that may do least on. */
export const operatorRoles = ['viewer', 'reviewer', 'treasurer', 'administrator'] as const satisfies OperatorRole[];

/** A person who may sign in to the console. The name never changes: the audit log has it. */
export interface Operator {
  name: string;
  role: OperatorRole;
}

/** Adds an operator, who cannot sign in before an invitation. Throws `invalid_request` and `not_possible`. */
export async function addOperator(ledger: Ledger, { name, role }: Operator): Promise<void> {
  if (!isOperatorName(name))
    throw new StopError({
      code: 'invalid_request',
      message: `"${name}" is not a name of at most 64 letters, digits and . _ @ -`,
      fields: { name: 'must be at most 64 letters, digits and . _ @ -' },
    });
  const added = await ledger
    .insertInto('operators')
    .values({ name, role })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  if (!added) throw nameTaken(name);
}

/** Throws `not_possible` when there is or was an operator of this name, in any case. */
export async function requireFreeName(ledger: Ledger, name: string): Promise<void> {
  if (await operatorsCalled(ledger, name).select('name').executeTakeFirst()) throw nameTaken(name);
}

function nameTaken(name: string): StopError {
  return new StopError({
    code: 'not_possible',
    message: `There is or was an operator ${name}: a name is of one person for ever, because the audit log has it`,
    fields: { name: 'is taken' },
  });
}

/** Adds an operator unless there is or was one of this name. */
export async function ensureOperator(ledger: Ledger, operator: Operator): Promise<void> {
  await ledger
    .insertInto('operators')
    .values(operator)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** An operator who is not disabled, by the name in any case; `undefined` when there is none. */
export async function findOperator(ledger: Ledger, name: string): Promise<(Operator & { id: string }) | undefined> {
  return operatorsCalled(ledger, name).where('disabledAt', 'is', null).select(['name', 'role', 'id']).executeTakeFirst();
}

/** An operator who is disabled, by the name in any case; `undefined` when there is none. */
export async function findDisabledOperator(ledger: Ledger, name: string): Promise<Operator | undefined> {
  return operatorsCalled(ledger, name).where('disabledAt', 'is not', null).select(['name', 'role']).executeTakeFirst();
}

/**
 * Locks an operator until the transaction ends: sign-ins, and changes of what the operator may do and signs in with, come one after the other.
 * Throws `not_found`.
 */
export async function lockOperator(tx: LedgerTransaction, name: string): Promise<Operator & { id: string; disabledAt: Date | null }> {
  const operator = await operatorsCalled(tx, name)
    .select(['name', 'role', 'id', 'disabledAt'])
    // Not `for update`: rows that refer to the operator are still added meanwhile.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (operator) return operator;
  throw new StopError({ code: 'not_found', message: `There is no operator ${name}: mintrail operator list shows all` });
}

/** Gives an operator another role and ends their sessions. Throws `not_found`, and as {@link requireOtherRole}. */
export async function changeRole(ledger: Ledger, name: string, role: OperatorRole): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    requireOtherRole(operator, role);
    await tx.updateTable('operators').set({ role }).where('name', '=', operator.name).execute();
    await endSessionsOf(tx, operatorSubject(operator.name));
  });
}

/** Throws `not_possible` when an operator has the role already. */
export function requireOtherRole(operator: Operator, role: OperatorRole): void {
  if (operator.role !== role) return;
  throw new StopError({
    code: 'not_possible',
    message: `The operator ${operator.name} has the role ${role} already`,
    fields: { role: 'is the one that they have' },
  });
}

/** Every operator, the newest last, with what they sign in with. There are as many as people who run the service. */
export async function listOperators(ledger: Ledger) {
  return ledger
    .selectFrom('operators as o')
    .select(['o.name', 'o.role', 'o.createdAt', 'o.disabledAt'])
    .select([
      sql<boolean>`exists(select from passwords p where p.operator = o.name)`.as('hasPassword'),
      sql<number>`(select count(*)::int from passkeys k where k.operator = o.name)`.as('passkeys'),
      sql<number>`(select count(*)::int from recovery_codes c where c.operator = o.name and used_at is null)`.as('recoveryCodes'),
      sql<Date | null>`(select max(s.last_used_at) from sessions s where s.operator = o.name)`.as('lastSeenAt'),
      sql<Date | null>`(select i.expires_at from operator_invitations i where i.operator = o.name and i.expires_at > now())`.as(
        'invitedUntil',
      ),
      sql<string | null>`(select i.code_maker from operator_invitations i where i.operator = o.name and i.expires_at > now())`.as(
        'codeMaker',
      ),
    ])
    .orderBy('o.createdAt')
    .execute();
}

function operatorsCalled(ledger: Ledger, name: string) {
  return ledger.selectFrom('operators').where(sql<string>`lower(name)`, '=', name.toLowerCase());
}
