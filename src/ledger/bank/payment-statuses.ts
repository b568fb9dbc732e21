import { sql } from 'kysely';
import { isVersion8 } from '../../platform/uuid.ts';
import { endToEndIdOf, idOfEndToEndId } from '../end-to-end-id.ts';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { bankKnowsMore, beginRecovery } from '../recoveries.ts';
import { decidePayments } from './payment-decisions.ts';
import { contradictionTo, lockPayments } from './payments.ts';
import { keepUnknownStatuses, type UnknownStatus } from './unknown-statuses.ts';

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
  await recordOpenStatuses(tx, new Map(ofPayments.filter(({ outcome }) => outcome === 'open').map(({ id, code }) => [id, code])));
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
    from ${inputRows(statuses, 'id uuid, code text')} g where p.id = g.id and p.state = 'sent'
  `.execute(tx);
}
