import type { LedgerTransaction } from '../ledger.ts';
import { lockUser } from './users.ts';

/** Somebody who signs in: a customer's user on the hosted pages, by id, or an operator in the console, by name. */
export interface Subject {
  kind: 'user' | 'operator';
  id: string;
}

/** A customer's user. */
export function userSubject(id: string): Subject {
  return { kind: 'user', id };
}

/** An operator, by the name as it is stored. */
export function operatorSubject(name: string): Subject {
  return { kind: 'operator', id: name };
}

/** The column that names a subject of this kind in the tables of what people sign in with. */
export function subjectColumn({ kind }: Pick<Subject, 'kind'>): 'userId' | 'operator' {
  return kind === 'user' ? 'userId' : 'operator';
}

/** The values of both columns that name a subject; neither for nobody in particular. */
export function subjectValues(subject: Subject | undefined): { userId: string | null; operator: string | null } {
  return { userId: subject?.kind === 'user' ? subject.id : null, operator: subject?.kind === 'operator' ? subject.id : null };
}

/** The subject that a row names; `undefined` for nobody in particular. */
export function subjectOf({ userId, operator }: { userId: string | null; operator: string | null }): Subject | undefined {
  if (userId !== null) return userSubject(userId);
  return operator === null ? undefined : operatorSubject(operator);
}

/** Whether two are the same, or both nobody. */
export function isSameSubject(left: Subject | undefined, right: Subject | undefined): boolean {
  return left?.kind === right?.kind && left?.id === right?.id;
}

/**
 * Locks a subject until the transaction ends: changes of what they sign in with, and of what follows from it, come one after the other. Returns whether they
 * may sign in at all: an operator may be disabled. Throws when there is no such subject.
 */
export async function lockSubject(tx: LedgerTransaction, { kind, id }: Subject): Promise<{ isDisabled: boolean }> {
  if (kind === 'user') {
    await lockUser(tx, id);
    return { isDisabled: false };
  }
  const operator = await tx.selectFrom('operators').where('name', '=', id).select('disabledAt').forNoKeyUpdate().executeTakeFirstOrThrow();
  return { isDisabled: operator.disabledAt !== null };
}
