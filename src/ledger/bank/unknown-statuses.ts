import { type Selectable, sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inputRows } from '../input-rows.ts';
import type { LedgerTables } from '../../schema/tables.ts';
import type { LedgerTransaction, Ledger } from '../ledger.ts';
import { decidePayments } from './payment-decisions.ts';
import { markSent } from './payment-batches.ts';

/** A status of a payment that this ledger does not have, although its id is of a form that only a Mintrail ledger gives: the bank's code, and why it was refused. */
export type UnknownStatus = Pick<Selectable<LedgerTables['unknownPaymentStatuses']>, 'payment' | 'verdict' | 'code' | 'reason'>;

/** Statuses that wait at most: more payments than a restored ledger can have lost. */
const mostKept = 100_000;

/**
 * Keeps statuses of payments that this ledger has lost, until the payments are made again. The newest counts, but nothing replaces a decision. Throws
 * `not_possible` when there is no room, so that no file is half applied.
 */
export async function keepUnknownStatuses(tx: LedgerTransaction, statuses: readonly UnknownStatus[]): Promise<void> {
  if (statuses.length === 0) return;
  const newest = [...new Map(statuses.map((status) => [status.payment, status])).values()];
  await sql`
    insert into unknown_payment_statuses as k (payment, verdict, code, reason)
    select payment, verdict, code, reason from ${inputRows(newest, 'payment uuid, verdict text, code text, reason text')} s
    on conflict (payment) do update set verdict = excluded.verdict, code = excluded.code, reason = excluded.reason where k.verdict = 'open'
  `.execute(tx);
  const { rows } = await sql`select from unknown_payment_statuses where set_aside is null offset ${mostKept} limit 1`.execute(tx);
  if (rows.length > 0)
    throw new StopError({
      code: 'not_possible',
      message: `The bank reports more than ${mostKept} payments that this ledger does not have. Nothing of the file was applied. Check that the file and DATABASE_URL belong together; after a restore, import the credits of those payments, or set them aside: \`mintrail recover\` lists them`,
    });
}

/**
 * Gives payments that were made again the status that the bank had reported: none of them is sent a second time. Returns how many. A status whose payment
 * has ended otherwise is forgotten.
 */
export async function takeKeptStatuses(tx: LedgerTransaction): Promise<number> {
  const { rows } = await sql<UnknownStatus>`
    delete from unknown_payment_statuses k using payments p where p.id = k.payment and k.set_aside is null
    returning k.payment, k.verdict, k.code, k.reason
  `.execute(tx);
  const ofVerdict = (...verdicts: UnknownStatus['verdict'][]) => rows.filter(({ verdict }) => verdicts.includes(verdict));
  const sent = ofVerdict('executed', 'open').map(({ payment }) => payment);
  await markSent(tx, sent, null);
  const decided = ofVerdict('executed', 'refused').map(({ payment, verdict, reason }) => ({
    id: payment,
    refused: verdict === 'refused' ? reason : null,
  }));
  await decidePayments(tx, decided, ['ready', 'sent']);
  return rows.length;
}

/** Forgets refusals of payments that are not made again, because what they were for has ended. */
export async function forgetRefusals(tx: LedgerTransaction, payments: readonly string[]): Promise<void> {
  if (payments.length === 0) return;
  await tx
    .deleteFrom('unknownPaymentStatuses')
    .where('payment', 'in', [...payments])
    .where('verdict', '=', 'refused')
    .execute();
}

/** The statuses that no payment has taken and no operator has set aside, the oldest first; or `of` these payments, also of those that were set aside. */
export async function listUnknownStatuses(ledger: Ledger, limit: number, of?: readonly string[]): Promise<UnknownStatus[]> {
  const query = ledger.selectFrom('unknownPaymentStatuses').select(['payment', 'verdict', 'code', 'reason']);
  const which = of === undefined ? query.where('setAside', 'is', null) : query.where('payment', 'in', [...of]);
  return which.orderBy('reportedAt').orderBy('payment').limit(limit).execute();
}

/** An operator says why payments are none of this ledger's. Returns how many were waiting. */
export async function setStatusesAside(ledger: Ledger, payments: readonly string[], reason: string, operator: string): Promise<number> {
  const { numUpdatedRows } = await ledger
    .updateTable('unknownPaymentStatuses')
    .set({ setAside: reason, setAsideBy: operator })
    .where('payment', 'in', [...payments])
    .where('setAside', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
