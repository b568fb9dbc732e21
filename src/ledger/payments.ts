import { sql } from 'kysely';
import { StopError } from '../platform/errors.ts';
import { currencies } from '../platform/money.ts';
import { idOfEndToEndId } from './end-to-end-id.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from './ledger.ts';
import { decidePayments } from './payment-decisions.ts';
import { returnText } from './payment-legs.ts';

/**
 * Asks for a credit to be sent back to its payer, once: a payment that the rail takes up. Returns its id, or `undefined`
 * when payer, amount or currency are not known, or it is being returned already.
 */
export async function requestReturn(tx: LedgerTransaction, credit: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into payments (kind, credit, currency, amount, creditor_name, creditor_iban, remittance)
    select 'return', c.reference, c.currency, c.amount, coalesce(c.payer ->> 'name', ''), c.payer ->> 'iban', ${returnText('c')}
    from credits c
    where c.reference = ${credit} and c.amount is not null and c.currency = any(${[...currencies]}::text[])
      and coalesce(c.payer ->> 'iban', '') <> ''
    on conflict do nothing
    returning id
  `.execute(tx);
  return rows[0]?.id;
}

export interface RejectedPayout {
  paymentId: string;
  orderId: string;
  /** Networks whose lanes are to be woken: tokens are given back there. */
  chains: string[];
}

/**
 * Refuses a payout by hand, named by its own id or by its order's: the tokens are given back. Only while the bank has not
 * decided it. Throws `unknown_payout`, `payout_decided`.
 */
export async function rejectPayout(ledger: Ledger, id: string, reason: string): Promise<RejectedPayout> {
  return inTransaction(ledger, async (tx) => {
    const payment = await findPayout(tx, id);
    if (payment === undefined)
      throw new StopError({ code: 'unknown_payout', message: `There is no payout ${id}, or it has not been made yet` });
    const { ids, chains } = await decidePayments(tx, [{ id: payment.id, refused: reason }], ['ready', 'sent']);
    if (ids.length > 0) return { paymentId: payment.id, orderId: payment.orderId, chains };
    const state = (await findPayout(tx, payment.id))?.state;
    throw new StopError({ code: 'payout_decided', message: `The payout ${payment.id} is ${state} already` });
  });
}

async function findPayout(tx: LedgerTransaction, id: string) {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)) return undefined;
  return tx
    .selectFrom('payments as p')
    .innerJoin('legs as l', 'l.id', 'p.leg')
    .where('p.kind', '=', 'payout')
    .where((eb) => eb.or([eb('p.id', '=', id), eb('l.order_id', '=', id)]))
    .select(['p.id', 'p.state', 'l.order_id as orderId'])
    .executeTakeFirst();
}

/** A booked debit of a statement, as the bank tells it. */
export interface BookedDebit {
  endToEndId: string;
  amount: bigint;
  currency: string;
}

/** Of a debit with the id of a payment: `settled` by this, `known` before, or at odds with it, with the reason. */
export type DebitOutcome = { id: string; outcome: 'settled' | 'known' } | { id: string; outcome: 'conflict'; reason: string };

/**
 * Settles payments that the statement shows as booked: of banks that never report them as executed, this is the only
 * word. Amount and currency must be the payment's. Debits that are none of our payments have no outcome.
 */
export async function settleBookedDebits(tx: LedgerTransaction, debits: readonly BookedDebit[]): Promise<DebitOutcome[]> {
  const byId = new Map(debits.flatMap((debit) => [[idOfEndToEndId(debit.endToEndId) ?? '', debit] as const]));
  byId.delete('');
  if (byId.size === 0) return [];
  const payments = await tx
    .selectFrom('payments')
    .where('id', 'in', [...byId.keys()])
    .orderBy('id')
    .forUpdate()
    .select(['id', 'state', 'amount', 'currency'])
    .execute();
  const outcomes = payments.map((payment): DebitOutcome => {
    const { id, state } = payment;
    const { amount, currency } = byId.get(id) as BookedDebit;
    const conflict = (reason: string): DebitOutcome => ({ id, outcome: 'conflict', reason });
    if (payment.amount !== amount || payment.currency !== currency) return conflict('the booked amount is not that of the payment');
    if (state === 'refused') return conflict('the payment is booked, but was refused before');
    if (state === 'ready') return conflict('the payment is booked, but was never sent');
    return { id, outcome: state === 'accepted' ? 'known' : 'settled' };
  });
  const settled = outcomes.flatMap(({ id, outcome }) => (outcome === 'settled' ? [{ id, refused: null }] : []));
  await decidePayments(tx, settled, ['sent']);
  return outcomes;
}
