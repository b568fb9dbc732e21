import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';
import { type Approval, approvalColumns, digestOf, findApproval, isFree, notWaiting } from './approvals.ts';

/** Seconds after which an attempt to carry out an action counts as interrupted, and can be carried out again, unless it has said that it goes on. */
const leaseSeconds = 120;

/** An attempt to carry out what is approved. */
export interface CarryOutAttempt {
  approval: Approval;
  /** Whether the input and the description are those that were approved. */
  isIntact: boolean;
}

/** Begins an attempt to carry out what is approved, unless one is under way. Throws `not_found` and `not_as_shown`. */
export async function beginCarryOut(ledger: Ledger, id: string): Promise<CarryOutAttempt> {
  const approval = await ledger
    .updateTable('approvals')
    .set({ attempts: sql`attempts + 1`, leasedUntil: leaseEnd })
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .where('expiresAt', '>', sql<Date>`now()`)
    .where(isFree)
    .returning(approvalColumns)
    .executeTakeFirst();
  if (approval) return { approval, isIntact: digestOf(approval).toString('hex') === approval.digest };
  await findApproval(ledger, id);
  throw notWaiting(id);
}

/** Keeps an attempt from counting as interrupted for a while. */
export async function extendCarryOut(ledger: Ledger, { approval }: CarryOutAttempt): Promise<void> {
  await ledger
    .updateTable('approvals')
    .set({ leasedUntil: leaseEnd })
    .where('id', '=', approval.id)
    .where('state', '=', 'approved')
    .where('attempts', '=', approval.attempts)
    .execute();
}

/** How an attempt ended. */
export type CarryOutEnd = { state: 'done'; result: string } | { state: 'failed' | 'interrupted'; errorCode: string; errorMessage: string };

/** Records how an attempt ended, unless another one began meanwhile. After an outage it can be carried out again. Returns whether it is recorded. */
export async function endCarryOut(ledger: Ledger, { approval }: CarryOutAttempt, end: CarryOutEnd): Promise<boolean> {
  const errors =
    end.state === 'done' ? { errorCode: null, errorMessage: null } : { errorCode: end.errorCode, errorMessage: end.errorMessage };
  const { numUpdatedRows } = await ledger
    .updateTable('approvals')
    .set({
      ...errors,
      leasedUntil: null,
      ...(end.state === 'interrupted' ? {} : { state: end.state, endedAt: sql<Date>`now()` }),
      ...(end.state === 'done' && { result: end.result }),
    })
    .where('id', '=', approval.id)
    .where('state', '=', 'approved')
    .where('attempts', '=', approval.attempts)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const leaseEnd = sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
