import { sql } from 'kysely';
import { endToEndIdOf, idOfEndToEndId } from '../end-to-end-id.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { decidePayments, type PaymentDecision } from './payment-decisions.ts';
import type { PaymentState } from '../tables.ts';

/** What a bank says of a payment. */
export interface PaymentStatus {
  endToEndId: string | undefined;
  /** Whether it was carried out, never will be, or is still under way. */
  verdict: 'executed' | 'refused' | 'open';
  /** The bank's own word, such as `ACSP`. */
  code: string;
  /** Why it was refused. */
  reason: string;
}

/** Of a status: what it did, that it did nothing new, or why it can do nothing. */
export interface StatusOutcome {
  status: PaymentStatus;
  outcome: 'accepted' | 'refused' | 'open' | 'known' | 'unknown' | 'conflict';
  paymentId?: string;
  problem?: string;
}

/**
 * Applies what a bank says of payments, in its order. Only a payment that is `sent` is decided; whatever contradicts an
 * earlier decision changes nothing and is told, as money may be at stake.
 */
export async function applyStatuses(tx: LedgerTransaction, statuses: readonly PaymentStatus[]): Promise<StatusOutcome[]> {
  const ids = new Set(statuses.flatMap(({ endToEndId }) => idOfEndToEndId(endToEndId) ?? []));
  const states = await lockStates(tx, [...ids]);
  const decisions: PaymentDecision[] = [];
  const open = new Map<string, string>();
  const outcomes = statuses.map((status): StatusOutcome => {
    const id = idOfEndToEndId(status.endToEndId);
    const state = id === undefined ? undefined : states.get(id);
    if (id === undefined || state === undefined) return { status, outcome: 'unknown', problem: 'it is none of our payments' };
    const paymentId = id;
    if (state === 'ready') return { status, outcome: 'conflict', paymentId, problem: 'the payment was never sent' };
    const { verdict, code, reason } = status;
    if (state === 'sent') {
      if (verdict === 'open') {
        open.set(id, code);
        return { status, outcome: 'open', paymentId };
      }
      const end = verdict === 'executed' ? 'accepted' : 'refused';
      states.set(id, end);
      decisions.push({ id, refused: verdict === 'executed' ? null : reason });
      return { status, outcome: end, paymentId };
    }
    if (verdict === 'refused' && state === 'accepted')
      return { status, outcome: 'conflict', paymentId, problem: 'THE BANK REJECTS A PAYMENT THAT IT HAS CARRIED OUT. Nothing was done' };
    if (verdict === 'executed' && state === 'refused')
      return { status, outcome: 'conflict', paymentId, problem: 'THE BANK HAS CARRIED OUT A PAYMENT THAT WAS REFUSED. Nothing was done' };
    return { status, outcome: 'known', paymentId };
  });
  await recordOpenStatuses(tx, open);
  await decidePayments(tx, decisions, ['sent']);
  return outcomes;
}

/** The payments of one of our files, by its message id, except those that the bank tells about one by one; `undefined` when the file is none of ours. */
export async function endToEndIdsOfFile(tx: LedgerTransaction, messageId: string | undefined): Promise<string[] | undefined> {
  const file = idOfEndToEndId(messageId);
  if (file === undefined) return undefined;
  const found = await tx.selectFrom('payments').where('file', '=', file).orderBy('id').select('id').execute();
  return found.length === 0 ? undefined : found.map(({ id }) => endToEndIdOf(id));
}

async function lockStates(tx: LedgerTransaction, ids: readonly string[]): Promise<Map<string, PaymentState>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; state: PaymentState }>`
    select id, state from payments where id = any(${ids}::uuid[]) order by id for update
  `.execute(tx);
  return new Map(rows.map(({ id, state }) => [id, state]));
}

async function recordOpenStatuses(tx: LedgerTransaction, open: ReadonlyMap<string, string>): Promise<void> {
  if (open.size === 0) return;
  const given = JSON.stringify([...open].map(([id, code]) => ({ id, code })));
  await sql`
    update payments p set bank_status = g.code, bank_status_at = now()
    from jsonb_to_recordset(${given}::jsonb) as g(id uuid, code text) where p.id = g.id and p.state = 'sent'
  `.execute(tx);
}
