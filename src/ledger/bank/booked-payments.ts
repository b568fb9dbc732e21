import { sql } from 'kysely';
import { accounts, bankAccountIn } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** A payment that the bank has booked. */
export interface BookedPayment {
  id: string;
  /** The account on which it is booked. */
  bankAccount: string;
  /** The booking day, `YYYY-MM-DD`; today when the bank does not say. */
  bookedOn?: string | undefined;
}

/** Books payments that the bank accepted before it booked them, each once. Those that are booked already stay as they are. */
export async function bookPayments(tx: LedgerTransaction, payments: readonly BookedPayment[]): Promise<void> {
  if (payments.length === 0) return;
  const input = JSON.stringify(payments.map(({ id, bankAccount, bookedOn }) => ({ id, bankAccount, bookedOn })));
  await sql`
    with input as (
      select * from jsonb_to_recordset(${input}::jsonb) as g(id uuid, "bankAccount" text, "bookedOn" date)
    ), booked as (
      update payments p set bank_account = g."bankAccount", booked_on = coalesce(g."bookedOn", (now() at time zone 'utc')::date)
      from input g where p.id = g.id and p.state in ('accepted', 'returned') and p.booked_on is null
      returning p.id, p.currency, p.amount, p.bank_account, p.booked_on
    ), ${bookEntries(sql`
      select 'payment-booked' as kind, p.id::text as source, p.booked_on, ${accounts.payments} as debit, ${bankAccountIn('p.bank_account')} as credit,
        p.currency, p.amount
      from booked p`)}
    select
  `.execute(tx);
}
