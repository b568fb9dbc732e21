import { sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import { idOfEndToEndId } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { AccountDebit } from './bank-debits.ts';

/** SQL: whether a debit has booked the payment `p`: by itself, with its whole file, or with others as an operator says. */
const isBookedByDebit = sql<boolean>`(
  exists (select from bank_debits d where d.payment = p.id and d.state in ('payment', 'explained'))
  or exists (select from bank_debits d where d.payment_file = p.file and d.state = 'payment')
  or exists (select from bank_debits d where d.more_payments @> array[p.id] and d.state = 'explained'))`;

/**
 * The debits that book a payment file of ours in one sum: they name it, and their amount, and their number where they have one, are those of its
 * payments that were not refused. A debit whose amount differs is none, because nobody can say which payments it is for.
 */
export async function debitsOfFiles(tx: LedgerTransaction, debits: readonly AccountDebit[]) {
  const open = Map.groupBy(await openPayments(tx, [...new Set(debits.flatMap(filesOf))]), ({ file }) => file);
  return debits.flatMap((debit) => {
    const file = filesOf(debit).find((id) => open.has(id));
    const payments = file === undefined ? undefined : open.get(file);
    if (file === undefined || payments === undefined || payments[0]?.currency !== debit.currency) return [];
    if (payments.reduce((sum, { amount }) => sum + amount, 0n) !== debit.amount) return [];
    if (debit.transactions !== undefined && debit.transactions !== payments.length) return [];
    open.delete(file);
    return [{ debit, file, payments }];
  });
}

function filesOf({ files }: AccountDebit): string[] {
  return files.flatMap((id) => idOfEndToEndId(id) ?? []);
}

/** The payments of files that the bank may book in one sum: those that were not refused and that no debit has booked. */
async function openPayments(tx: LedgerTransaction, files: readonly string[]) {
  if (files.length === 0) return [];
  const { rows } = await sql<{ file: string; currency: string; id: string; amount: MinorUnits }>`
    select p.file, p.currency, p.id, p.amount from payments p
    where p.file = any(${files}::uuid[]) and p.state in ('sent', 'accepted', 'returned') and not ${isBookedByDebit} order by p.id
  `.execute(tx);
  return rows;
}

/** Those of these payments that a debit has booked. */
export async function bookedPayments(tx: LedgerTransaction, payments: readonly string[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select p.id from payments p where p.id = any(${payments}::uuid[]) and ${isBookedByDebit}
  `.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
