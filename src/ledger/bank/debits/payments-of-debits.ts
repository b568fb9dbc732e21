import { sql } from 'kysely';
import type { LedgerTransaction } from '../../ledger.ts';

/** SQL: whether a debit has booked the payment `p`: by itself, with its whole file, or with others as an operator says. */
export const isBookedByDebit = sql<boolean>`(
  exists (select from bank_debits d where d.payment = p.id and d.state in ('payment', 'explained'))
  or exists (select from bank_debits d where d.payment_file = p.file and d.state = 'payment')
  or exists (select from bank_debits d where d.more_payments @> array[p.id] and d.state = 'explained'))`;

/** Those of these payments that a debit has booked. */
export async function bookedPayments(tx: LedgerTransaction, payments: readonly string[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const { rows } = await sql<{
    id: string;
  }>`select p.id from payments p where p.id = any(${payments}::uuid[]) and ${isBookedByDebit}`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
