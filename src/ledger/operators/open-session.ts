import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockOperator } from './operators.ts';
import { endedSessions, type SignedInOperator } from './sessions.ts';

/**
 * Does something in one transaction in which the session of an operator stays open, with the role that it began with: a sign-out, a reset, a disablement and
 * another role come before, and nothing is done, or after. Throws `not_signed_in`, and what `work` throws.
 */
export async function inOpenSession<Result>(
  ledger: Ledger,
  operator: SignedInOperator,
  work: (tx: LedgerTransaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(ledger, async (tx) => {
    await lockOperator(tx, operator.name);
    await requireOpenSession(tx, operator);
    return work(tx);
  });
}

/** Throws `not_signed_in` when a session has ended, or its operator has another role by now. */
export async function requireOpenSession(ledger: Ledger, operator: SignedInOperator): Promise<void> {
  const ended = await endedSessions(ledger, [operator]);
  if (ended.size > 0) throw new StopError({ code: 'not_signed_in', message: 'Your session has ended meanwhile, and nothing was done' });
}
