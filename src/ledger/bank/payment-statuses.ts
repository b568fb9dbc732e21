import { sql, type Selectable } from 'kysely';
import { isVersion8 } from '../../platform/uuid.ts';
import { endToEndIdOf, idOfEndToEndId } from '../end-to-end-id.ts';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction, Ledger } from '../ledger.ts';
import { bankKnowsMore, beginRecovery } from '../recoveries.ts';
import { decidePayments, markSent } from './payment-decisions.ts';
import { contradictionTo, lockPayments } from './payments.ts';
import { StopError } from '../../platform/errors.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** A bank's report of a payment's status. One that is `unclear` rejects it without saying for certain that it will not be paid. */
export interface PaymentStatus extends Omit<UnknownStatus, 'payment' | 'verdict'> {
  endToEndId: string | undefined;
  verdict: UnknownStatus['verdict'] | 'unclear';
}

/**
 * What a status did: it decided the payment (`accepted`, `refused`), was recorded (`open`), repeated a decision (`known`), is of no payment of
 * ours (`unknown`), or contradicts the payment (`conflict`), for the reason in `problem`.
 */
export interface StatusOutcome {
  status: PaymentStatus;
  outcome: 'accepted' | 'refused' | 'open' | 'known' | 'unknown' | 'conflict';
  paymentId?: string;
  problem?: string;
}

/**
 * Applies a bank's statuses in their order, one outcome for each. Only a payment that is `sent` is decided. A status that contradicts an earlier
 * decision changes nothing; it is a conflict for the operator, because money may be lost. One of a payment that was never sent begins a recovery:
 * the ledger has lost the sending. So does one of an unknown payment with an id of ours, which is kept until the payment is made again.
 */
export async function applyStatuses(tx: LedgerTransaction, statuses: readonly PaymentStatus[]): Promise<StatusOutcome[]> {
  const ids = new Set(statuses.flatMap(({ endToEndId }) => idOfEndToEndId(endToEndId) ?? []));
  const payments = await lockPayments(tx, [...ids]);
  const states = new Map([...payments].map(([id, { state }]) => [id, state]));
  const lost: UnknownStatus[] = [];
  const outcomes = statuses.map((status): StatusOutcome => {
    const { endToEndId, ...said } = status;
    const paymentId = idOfEndToEndId(endToEndId);
    const state = paymentId === undefined ? undefined : states.get(paymentId);
    if (paymentId !== undefined && state === undefined && isVersion8(paymentId)) {
      lost.push({ payment: paymentId, ...said, verdict: said.verdict === 'unclear' ? 'open' : said.verdict });
      return { status, outcome: 'unknown', problem: 'it is of a payment that this ledger has lost: see `mintrail recover`' };
    }
    if (paymentId === undefined || state === undefined) return { status, outcome: 'unknown', problem: 'it is none of our payments' };
    const problem = contradictionTo(state, said.verdict);
    if (problem !== undefined) return { status, outcome: 'conflict', paymentId, problem };
    if (state !== 'sent') return { status, outcome: 'known', paymentId };
    const outcome = ends[said.verdict];
    if (outcome !== 'open') states.set(paymentId, outcome);
    return { status, outcome, paymentId };
  });
  await keepUnknownStatuses(tx, lost);
  if (lost.length > 0 || [...states.values()].includes('ready')) await beginRecovery(tx, bankKnowsMore);
  const ofPayments = outcomes.flatMap(({ status, outcome, paymentId: id }) => (id === undefined ? [] : [{ ...status, id, outcome }]));
  const isKept = ({ id, outcome }: { id: string; outcome: StatusOutcome['outcome'] }) =>
    outcome === 'open' || (outcome === 'conflict' && states.get(id) === 'accepted');
  await recordOpenStatuses(tx, new Map(ofPayments.filter(isKept).map(({ id, code }) => [id, code])));
  const decided = ofPayments
    .filter(({ outcome }) => outcome === 'accepted' || outcome === 'refused')
    .map(({ id, outcome, reason }) => ({ id, refused: outcome === 'refused' ? reason : null }));
  await decidePayments(tx, decided, ['sent']);
  return outcomes;
}

/** What becomes of a payment that the bank has, by what the bank says. */
const ends = { executed: 'accepted', refused: 'refused', unclear: 'open', open: 'open' } as const;

/** The EndToEndIds of the payments in one of our files, by the file's message id; `undefined` when it is none of our files. */
export async function endToEndIdsOfFile(tx: LedgerTransaction, messageId: string | undefined): Promise<string[] | undefined> {
  const file = idOfEndToEndId(messageId);
  if (file === undefined) return undefined;
  const payments = await tx.selectFrom('payments').where('file', '=', file).orderBy('id').select('id').execute();
  return payments.length === 0 ? undefined : payments.map(({ id }) => endToEndIdOf(id));
}

async function recordOpenStatuses(tx: LedgerTransaction, open: ReadonlyMap<string, string>): Promise<void> {
  if (open.size === 0) return;
  const statuses = [...open].map(([id, code]) => ({ id, code }));
  await sql`
    update payments p set bank_status = g.code, bank_status_at = now()
    from ${inputRows(statuses, 'id uuid, code text')} g where p.id = g.id and p.state in ('sent', 'accepted')
  `.execute(tx);
}

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
  await sql`delete from unknown_payment_statuses where payment = any(${payments}::uuid[]) and verdict = 'refused'`.execute(tx);
}

/** The statuses that no payment has taken and no operator has set aside, the oldest first; or `of` these payments, also of those that were set aside. */
export async function listUnknownStatuses(ledger: Ledger, limit: number, of?: readonly string[]): Promise<UnknownStatus[]> {
  const query = ledger.selectFrom('unknownPaymentStatuses').select(['payment', 'verdict', 'code', 'reason']);
  const which = of === undefined ? query.where('setAside', 'is', null) : query.where('payment', 'in', [...of]);
  return which.orderBy('reportedAt').orderBy('payment').limit(limit).execute();
}

/** An operator says why payments are none of this ledger's. Returns how many were waiting. */
export async function setStatusesAside(ledger: Ledger, payments: readonly string[], reason: string, operator: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update unknown_payment_statuses set set_aside = ${reason}, set_aside_by = ${operator} where payment = any(${payments}::uuid[]) and set_aside is null
  `.execute(ledger);
  return Number(numAffectedRows);
}
