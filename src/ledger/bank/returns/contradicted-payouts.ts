import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockImports } from '../bank-files.ts';
import { isListed } from '../debits/payment-file-debits.ts';
import { bookPayments } from '../payment-decisions.ts';
import { lockPayments, requirePayout } from '../payments.ts';
import { mostDaysBetween } from '../related-reports.ts';
import { bringPaymentBack } from './unbooked-money.ts';

/** A payout that the bank has said to be carried out and rejected since, and that no statement of the days after lists. */
export async function requireContradicted(ledger: Ledger, id: string) {
  const { rows } = await sql<{ account: string; bookedOn: string; currency: string; amount: MinorUnits; isBooked: boolean }>`
    select s.account, coalesce(p.booked_on, (p.decided_at at time zone 'utc')::date)::text as booked_on, p.currency, p.amount, p.booked_on is not null as is_booked
    from payments p cross join lateral (
      select account from bank_statements s where s.currency = p.currency and (p.bank_account is null or s.account = p.bank_account)
        and s.closed_on >= coalesce(p.booked_on, (p.decided_at at time zone 'utc')::date) + ${mostDaysBetween}::integer order by s.closed_on desc limit 1) s
    where p.id = ${id} and ${isContradicted}
  `.execute(ledger);
  const [payment] = rows;
  if (payment !== undefined) return payment;
  const message = `The payout ${id} is accepted already. One that the bank rejects afterwards is given back once the statements of the five days after are there, and do not list it`;
  throw new StopError({ code: 'payout_decided', message });
}

/** SQL: whether the bank has rejected the payment `p` after it was carried out, as it had said, and no statement lists it. */
export const isContradicted = sql<boolean>`(p.state = 'accepted' and p.bank_status in ('RJCT', 'CANC') and p.bank_status_at > p.decided_at
  and not exists (select from bank_bookings b where b.source = p.id::text and b.statement is not null)
  and not exists (select from bank_debits d where (d.payment = p.id or (d.payment_file = p.file and d.state = 'payment')) and ${isListed('d.reference')}))`;

/** An operator says that the bank has not carried out a payout that it had accepted: the tokens are given back as if its money had come back. Throws as {@link requireContradicted}. */
export async function giveContradictedBack(ledger: Ledger, named: string, reason: string) {
  return inTransaction(ledger, async (tx) => {
    await lockImports(tx);
    const { id, orderId } = await requirePayout(tx, named);
    await lockPayments(tx, [id]);
    const { account, isBooked, ...money } = await requireContradicted(tx, id);
    if (!isBooked) await bookPayments(tx, [{ id, bankAccount: account, bookedOn: money.bookedOn, refused: null }]);
    await bringPaymentBack(tx, id, { ...money, bankAccount: account }, reason);
    return { paymentId: id, orderId };
  });
}
