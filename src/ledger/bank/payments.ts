import { type Caller, profilesOf } from '../access/permissions.ts';
import { type Selectable, sql } from 'kysely';
import { nextReturnPaymentId } from '../derived-ids.ts';
import { idOfEndToEndId } from '../end-to-end-id.ts';
import { StopError } from '../../platform/errors.ts';
import { currencies, formatAmount } from '../../platform/money.ts';
import type { PostalAddress } from '../../platform/settings/postal-address.ts';
import { isUuid, isVersion8 } from '../../platform/uuid.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { bankKnowsMore, beginRecovery } from '../recoveries.ts';
import { payoutQueue } from '../wake-ups.ts';
import type { AccountDebit } from './debits/bank-debits.ts';
import { bookPayments, decidePayments } from './payment-decisions.ts';
import { returnText } from './payment-legs.ts';
import type { PaymentState } from '../../schema/states.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/**
 * Records a payment that returns a credit, once: to its payer, or to another account; `address` stands for the payer's. Returns the payment's id, or `undefined` when account,
 * amount or currency are not known, or the credit is being returned already.
 */
export async function requestReturn(
  tx: LedgerTransaction,
  credit: string,
  to?: { name: string; iban: string },
  address?: PostalAddress,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into payments (id, kind, credit, currency, amount, creditor_name, creditor_iban, creditor_address, remittance)
    select ${nextReturnPaymentId(sql`c.reference`)}, 'return', c.reference, c.currency, c.amount,
      coalesce(${to?.name ?? null}, c.payer ->> 'name', ''), coalesce(${to?.iban ?? null}, c.payer ->> 'iban'),
      coalesce(${address === undefined ? null : JSON.stringify(address)}::jsonb, case when ${to?.iban ?? null}::text is null then c.payer -> 'postalAddress' end), ${returnText('c')}
    from credits c
    where c.reference = ${credit} and c.amount is not null and c.currency = any(${[...currencies]}::text[])
      and coalesce(${to?.iban ?? null}, c.payer ->> 'iban', '') <> ''
    on conflict do nothing
    returning id
  `.execute(tx);
  if (rows.length > 0) tx.wakeUps.add(payoutQueue);
  return rows[0]?.id;
}

/** States in which the bank has not decided a payment. */
export const undecidedStates = ['ready', 'sent'] as const;

/**
 * Refuses a payout for an operator: the tokens are given back. `id` is the payout's or its order's. Possible until the bank has decided it, or only in the
 * state `from` that the operator saw: one that was sent since may be paid. Throws `unknown_payout`, `payout_decided` and `not_as_shown`.
 */
export async function rejectPayout(
  ledger: Ledger,
  id: string,
  reason: string,
  from: readonly (typeof undecidedStates)[number][] = undecidedStates,
) {
  return inTransaction(ledger, async (tx) => {
    const payment = await requirePayout(tx, id);
    const { ids } = await decidePayments(tx, [{ id: payment.id, refused: reason }], from);
    if (ids.length > 0) return { paymentId: payment.id, orderId: payment.orderId };
    const state = (await findPayout(tx, payment.id))?.state;
    if (state === 'sent') throw payoutSent(payment.id);
    throw new StopError({ code: 'payout_decided', message: `The payout ${payment.id} is ${state} already` });
  });
}

/** A payout that was handed to the bank while an operator decided on it as one that was not. */
export function payoutSent(id: string): StopError {
  const message = `The payout ${id} has been handed to the bank meanwhile, which may pay it: ask the bank, and reject the payout only after it has confirmed that it does not pay`;
  return new StopError({ code: 'not_as_shown', message });
}

/** A payout by its own id or by its order's. Throws `unknown_payout`. */
export async function requirePayout(tx: Ledger, id: string) {
  const payout = await findPayout(tx, id);
  if (payout !== undefined) return payout;
  throw new StopError({ code: 'unknown_payout', message: `There is no payout ${id}, or it has not been made yet` });
}

/** A payout by its own id or by its order's; `undefined` when there is none. */
export async function findPayout(tx: Ledger, id: string) {
  if (!isUuid(id)) return undefined;
  return (
    tx
      .selectFrom('payments as p')
      .innerJoin('legHistory as l', 'l.id', 'p.leg')
      .where('p.kind', '=', 'payout')
      // Each of both ids has an index, which one condition over both could not use.
      .where(
        'p.id',
        '=',
        sql<string>`any(array(
      select ${id}::uuid union all select p.id from leg_history l join payments p on p.leg = l.id where l.order_id = ${id} and l.kind = 'payout'))`,
      )
      .select(['p.id', 'p.state', 'p.amount', 'p.currency', 'p.creditorName as payee', 'p.creditorIban as iban'])
      .select(['p.bankAccount', 'l.orderId'])
      .executeTakeFirst()
  );
}

/** What tells which payment a debit books, and the master account and the day that it is booked on. */
type PaymentDebit = Pick<AccountDebit, 'endToEndId' | 'amount' | 'currency' | 'account' | 'bookedOn'>;

/** What a booked debit means for its payment: it is `settled` now, was `known` before, or contradicts it (`conflict`), for the reason in `problem`. */
export interface DebitOutcome<Debit extends PaymentDebit = PaymentDebit> {
  debit: Debit;
  id: string;
  outcome: 'settled' | 'known' | 'conflict';
  problem?: string;
}

/**
 * Settles payments that a statement shows as booked: some banks report the execution of a payment in no other way. One that was accepted before
 * is only booked. Amount and currency must be the payment's. A debit that is none of our payments has no outcome. One of a payment that was never sent,
 * or of an unknown payment with an id of ours, begins a recovery.
 */
export async function settleBookedDebits<Debit extends PaymentDebit>(
  tx: LedgerTransaction,
  debits: readonly Debit[],
): Promise<DebitOutcome<Debit>[]> {
  const ourDebits = debits.flatMap((debit) => {
    const id = idOfEndToEndId(debit.endToEndId);
    return id === undefined ? [] : [{ id, debit }];
  });
  const ids = ourDebits.map(({ id }) => id);
  const payments = await lockPayments(tx, ids);
  const settled = new Set<string>();
  const outcomes = ourDebits.flatMap(({ id, debit }): DebitOutcome<Debit>[] => {
    const payment = payments.get(id);
    if (payment === undefined) return [];
    const { amount, currency, state } = payment;
    const isSame = amount === debit.amount && currency === debit.currency;
    const problem = isSame
      ? contradictionTo(state, 'executed')
      : `the payment is over ${formatAmount(amount)} ${currency.toUpperCase()}. Nothing was done`;
    if (problem !== undefined) return [{ debit, id, outcome: 'conflict', problem }];
    const outcome = state !== 'sent' || settled.has(id) ? 'known' : 'settled';
    settled.add(id);
    return [{ debit, id, outcome }];
  });
  // Only a ledger that has lost the sending does not know of it: it must not send the payment, nor any other, until that is cleared up.
  const isBehind = ourDebits.some(({ id, debit }) => {
    const payment = payments.get(id);
    return payment === undefined ? isVersion8(id) : payment.state === 'ready' && payment.amount === debit.amount;
  });
  if (isBehind) await beginRecovery(tx, bankKnowsMore);
  const decided = (as: DebitOutcome['outcome']) =>
    outcomes
      .filter(({ outcome }) => outcome === as)
      .map(({ id, debit: { account, bookedOn } }) => ({ id, bankAccount: account, bookedOn, refused: null }));
  await decidePayments(tx, decided('settled'), ['sent']);
  await bookPayments(tx, decided('known'));
  return outcomes;
}

/** Whether an id is an order's of one of the caller's profiles, or its payout's. */
export async function isOwnPayout(ledger: Ledger, caller: Caller, id: string): Promise<boolean> {
  const ids = sql<string>`any(array(
    select ${id}::uuid union all select l.order_id from payments p join leg_history l on l.id = p.leg where p.id = ${id} and l.kind = 'payout'))`;
  const own = ledger.selectFrom('orders').where('id', '=', ids).where('profile', 'in', profilesOf(ledger, caller));
  return (await own.select('id').executeTakeFirst()) !== undefined;
}

/** A payment that is locked. */
export type LockedPayment = Pick<Selectable<LedgerTables['payments']>, 'id' | 'state' | 'amount' | 'currency' | 'bookedOn'>;

/** Why a payment in this state cannot be what the bank says; undefined when it can. */
export function contradictionTo(state: PaymentState, verdict: 'executed' | 'refused' | 'unclear' | 'open'): string | undefined {
  if (state === 'ready') return 'the payment was never sent. Nothing was done';
  const isRejected = verdict === 'refused' || verdict === 'unclear';
  if (isRejected && state === 'accepted') return 'THE BANK REJECTS A PAYMENT THAT IT HAS CARRIED OUT. Nothing was done';
  return verdict === 'executed' && state === 'refused'
    ? 'THE BANK HAS CARRIED OUT A PAYMENT THAT WAS REFUSED. Nothing was done'
    : undefined;
}

/** Locks payments, in the order of their ids. */
export async function lockPayments(tx: LedgerTransaction, ids: readonly string[]): Promise<Map<string, LockedPayment>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<LockedPayment>`
    select id, state, amount, currency, booked_on from payments where id = any(${ids}::uuid[]) order by id for update
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}
