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

/** A payment file of ours that a bank may book in one sum: its payments that were not refused and that no debit has booked. */
interface OpenFile {
  file: string;
  currency: string;
  amount: MinorUnits;
  payments: { id: string; amount: MinorUnits }[];
}

/** A debit that books a whole payment file, and the payments that it books. */
export interface FileDebit {
  debit: AccountDebit;
  file: string;
  payments: { id: string; amount: MinorUnits }[];
}

/**
 * The debits that book a payment file of ours in one sum: they name it, and their amount, and their number where they have one, are those of its
 * payments that were not refused. A debit whose amount differs is none, because nobody can say which payments it is for.
 */
export async function debitsOfFiles(tx: LedgerTransaction, debits: readonly AccountDebit[]): Promise<FileDebit[]> {
  const named = debits.flatMap((debit) => debit.files.flatMap((id) => idOfEndToEndId(id) ?? []));
  const files = new Map((await openFiles(tx, [...new Set(named)])).map((open) => [open.file, open]));
  return debits.flatMap((debit): FileDebit[] => {
    const ids = debit.files.flatMap((id) => idOfEndToEndId(id) ?? []);
    const open = ids.map((id) => files.get(id)).find((candidate) => candidate !== undefined);
    if (open === undefined || open.amount !== debit.amount || open.currency !== debit.currency) return [];
    if (debit.transactions !== undefined && debit.transactions !== open.payments.length) return [];
    files.delete(open.file);
    return [{ debit, file: open.file, payments: open.payments }];
  });
}

async function openFiles(tx: LedgerTransaction, ids: readonly string[]): Promise<OpenFile[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ file: string; currency: string; id: string; amount: MinorUnits }>`
    select p.file, p.currency, p.id, p.amount from payments p
    where p.file = any(${ids}::uuid[]) and p.state in ('sent', 'accepted', 'returned')
      and not ${isBookedByDebit}
    order by p.id
  `.execute(tx);
  const files = new Map<string, OpenFile>();
  for (const { file, currency, id, amount } of rows) {
    const open = files.get(file) ?? { file, currency, amount: 0n as MinorUnits, payments: [] };
    files.set(file, { ...open, amount: (open.amount + amount) as MinorUnits, payments: [...open.payments, { id, amount }] });
  }
  return [...files.values()];
}

/** Those of these payments that a debit has booked. */
export async function bookedPayments(tx: LedgerTransaction, payments: readonly string[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const { rows } = await sql<{
    id: string;
  }>`select p.id from payments p where p.id = any(${payments}::uuid[]) and ${isBookedByDebit}`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
