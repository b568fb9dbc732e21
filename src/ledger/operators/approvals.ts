import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { ApprovalState } from '../../schema/states.ts';
import { lockOperator } from './operators.ts';

/** Hours for which a request waits for a second person. */
const waitingHours = 72;

/** Requests of one operator that wait at most: more than anybody makes who means them. */
const mostWaiting = 100;

/** What an operator asks for and a second one has to approve. */
export interface ApprovalRequest {
  action: string;
  /** JSON, exactly as it is to be carried out. */
  input: string;
  /** What the second person reads. */
  description: string;
}

/** A request and what has become of it. */
export interface Approval extends ApprovalRequest {
  id: string;
  /** Hexadecimal SHA-256 of the action, the input and the description: who approves names it. */
  digest: string;
  state: ApprovalState;
  requestedBy: string;
  requestedAt: Date;
  expiresAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  note: string | null;
  /** Attempts to carry it out. */
  attempts: number;
  /** Whether it is approved and no attempt to carry it out is under way: the last one failed by an outage, or the process ended. */
  isInterrupted: boolean;
  /** JSON of what carrying out answered. */
  result: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  endedAt: Date | null;
}

/** SHA-256 of the action, its input and the sentence that was read: who decides names it. */
export function digestOf({ action, input, description }: ApprovalRequest): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([action, input, description]))
    .digest();
}

/**
 * Keeps a request for a second person. The same request of the same operator that is open already is that one: a command that is repeated asks for nothing
 * more. Throws `not_possible`.
 */
export async function requestApproval(ledger: Ledger, operator: string, request: ApprovalRequest): Promise<Approval> {
  return inTransaction(ledger, async (tx) => {
    // Two at once would both count too few.
    await lockOperator(tx, operator);
    await endExpired(tx);
    const digest = digestOf(request);
    const open = await tx
      .selectFrom('approvals')
      .where(isOpenState)
      .where('requestedBy', '=', operator)
      .where('digest', '=', digest)
      .select(approvalColumns)
      .executeTakeFirst();
    if (open) return open;
    const { waiting } = await tx
      .selectFrom('approvals')
      .where('state', '=', 'waiting')
      .where('requestedBy', '=', operator)
      .select(sql<number>`count(*)::int`.as('waiting'))
      .executeTakeFirstOrThrow();
    if (waiting >= mostWaiting)
      throw new StopError({
        code: 'not_possible',
        message: `${waiting} of your requests wait for a second person already: have them decided, or withdraw some`,
      });
    return tx
      .insertInto('approvals')
      .values({
        ...request,
        digest,
        requestedBy: operator,
        expiresAt: sql`now() + make_interval(hours => ${waitingHours})`,
      })
      .returning(approvalColumns)
      .executeTakeFirstOrThrow();
  });
}

/** The requests that are open, then those that have ended, each the latest first. */
export async function listApprovals(
  ledger: Ledger,
  { isOpen, action, after, limit }: { isOpen: boolean; action?: string | undefined; after?: string | undefined; limit: number },
) {
  await endExpired(ledger);
  let query = ledger.selectFrom('approvals').select(approvalColumns).orderBy('id', 'desc').limit(limit);
  if (isOpen) query = query.where(isOpenState);
  if (action !== undefined) query = query.where('action', '=', action);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.execute();
}

/** How many requests wait for a second person, how many were interrupted while they were carried out, and since when the oldest is open. */
export async function countOpenApprovals(ledger: Ledger): Promise<{ waiting: number; interrupted: number; since: Date | null }> {
  return ledger
    .selectFrom('approvals')
    .where(isOpenState)
    .where(sql<boolean>`expires_at > now()`)
    .where(isFree)
    .select([
      sql<number>`count(*) filter (where state = 'waiting')::int`.as('waiting'),
      sql<number>`count(*) filter (where state = 'approved')::int`.as('interrupted'),
      sql<Date | null>`min(requested_at)`.as('since'),
    ])
    .executeTakeFirstOrThrow();
}

/** A request. Throws `not_found`. */
export async function findApproval(ledger: Ledger, id: string): Promise<Approval> {
  await endExpired(ledger);
  const approval = await ledger.selectFrom('approvals').where('id', '=', id).select(approvalColumns).executeTakeFirst();
  if (approval) return approval;
  throw new StopError({ code: 'not_found', message: `There is no approval ${id}: look at the list of approvals` });
}

/**
 * Approves or refuses what a request asks for, as the digest names it. Of several operators who decide at once one does; nobody decides on
 * their own. Throws `not_found`, `own_approval` and `not_as_shown`.
 */
export async function decideApproval(
  ledger: Ledger,
  id: string,
  {
    operator,
    decision,
    digest,
    note = null,
  }: { operator: string; decision: 'approved' | 'refused'; digest: string; note?: string | null | undefined },
): Promise<void> {
  const decided = await ledger
    .updateTable('approvals')
    .set({
      state: decision,
      decidedBy: operator,
      decidedAt: sql`now()`,
      note,
      ...(decision === 'refused' && { endedAt: sql<Date>`now()` }),
    })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('expiresAt', '>', sql<Date>`now()`)
    .where('requestedBy', '<>', operator)
    .where('digest', '=', Buffer.from(digest, 'hex'))
    .executeTakeFirst();
  if (decided.numUpdatedRows > 0n) return;
  const { requestedBy } = await findApproval(ledger, id);
  if (requestedBy === operator)
    throw new StopError({ code: 'own_approval', message: 'You have asked for this yourself, so somebody else decides' });
  throw notWaiting(id);
}

/** Withdraws a request by the operator who made it. Throws `not_found` and `not_as_shown`. */
export async function withdrawApproval(ledger: Ledger, id: string, operator: string): Promise<void> {
  const withdrawn = await ledger
    .updateTable('approvals')
    .set({ state: 'withdrawn', endedAt: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('requestedBy', '=', operator)
    .executeTakeFirst();
  if (withdrawn.numUpdatedRows > 0n) return;
  await findApproval(ledger, id);
  throw notWaiting(id);
}

/**
 * Withdraws whatever an operator has asked for or approved, unless it was carried out to its end: it may not have been the operator. What is being carried out
 * goes on, and is not carried out again when that is interrupted. What others asked for and nobody has decided on stays.
 */
export async function withdrawApprovalsOf(ledger: Ledger, operator: string): Promise<void> {
  const ofOperator = ledger
    .updateTable('approvals')
    .where(isOpenState)
    .where((row) => row.or([row('requestedBy', '=', operator), row('decidedBy', '=', operator)]));
  await ofOperator
    .set({ expiresAt: sql<Date>`now()` })
    .where(sql<boolean>`not ${isFree}`)
    .execute();
  await ofOperator
    .set({ state: 'withdrawn', endedAt: sql`now()` })
    .where(isFree)
    .execute();
}

/** Ends the requests that nobody has decided, or carried out to the end, in time: what was approved long ago is not done by surprise. */
async function endExpired(ledger: Ledger): Promise<void> {
  await ledger
    .updateTable('approvals')
    .set({ state: 'expired', endedAt: sql`now()` })
    .where(isOpenState)
    .where('expiresAt', '<=', sql<Date>`now()`)
    .where(isFree)
    .execute();
}

/** For an approval that somebody else has decided on, carried out or ended. */
export function notWaiting(id: string): StopError {
  return new StopError({
    code: 'not_as_shown',
    message: `The approval ${id} has changed meanwhile: look at it again`,
  });
}

/** In the text, because a plan for all values uses no index that only some values allow (docs/growth.md, Queries). */
const isOpenState = sql<boolean>`state in ('waiting', 'approved')`;

/** Whether no attempt to carry an approval out is under way. */
export const isFree = sql<boolean>`(leased_until is null or leased_until < now())`;

/** The columns of an {@link Approval}. */
export const approvalColumns = [
  'id',
  'action',
  'input',
  'description',
  sql<string>`encode(digest, 'hex')`.as('digest'),
  'state',
  'requestedBy',
  'requestedAt',
  'expiresAt',
  'decidedBy',
  'decidedAt',
  'note',
  'attempts',
  sql<boolean>`state = 'approved' and ${isFree}`.as('isInterrupted'),
  'result',
  'errorCode',
  'errorMessage',
  'endedAt',
] as const;
