import { type RawBuilder, sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import { idOfEndToEndId } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import type { AccountDebit } from './bank-debits.ts';

/** SQL: whether a debit `d`, of which this is true, has booked the payment `p`: by itself, with its whole file, or with others as an operator says. */
export function isBookedByDebit(condition = sql<boolean>`true`): RawBuilder<boolean> {
  return sql<boolean>`(
    exists (select from bank_debits d where d.payment = p.id and d.state in ('payment', 'explained') and ${condition})
    or exists (select from bank_debits d where d.payment_file = p.file and d.state = 'payment' and ${condition})
    or exists (select from bank_debits d where d.more_payments @> array[p.id] and d.state = 'explained' and ${condition}))`;
}

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
      and not ${isBookedByDebit()}
    order by p.id
  `.execute(tx);
  const files = new Map<string, OpenFile>();
  for (const { file, currency, id, amount } of rows) {
    const open = files.get(file) ?? { file, currency, amount: 0n as MinorUnits, payments: [] };
    files.set(file, { ...open, amount: (open.amount + amount) as MinorUnits, payments: [...open.payments, { id, amount }] });
  }
  return [...files.values()];
}

/** Payments of ours that a debit names: one by its EndToEndId, or those of a file that were not refused. */
export interface NamedPayments {
  file: string | undefined;
  /** Whether debits have booked all of them. */
  areBooked: boolean;
  /** The credits by which they came back. */
  cameBackBy: string[];
}

interface NamedRow {
  id: string;
  file: string | null;
  isBooked: boolean;
  cameBackBy: string | null;
}

/** The payments of ours that debits name. */
export async function paymentsOfDebits(tx: LedgerTransaction, debits: readonly AccountDebit[]): Promise<Map<AccountDebit, NamedPayments>> {
  const ids = debits.map(({ endToEndId, files }) => ({
    payment: idOfEndToEndId(endToEndId),
    files: files.flatMap((id) => idOfEndToEndId(id) ?? []),
  }));
  const [payments, files] = [ids.flatMap(({ payment }) => payment ?? []), ids.flatMap((named) => named.files)];
  if (payments.length + files.length === 0) return new Map();
  const { rows } = await sql<NamedRow>`
    select p.id, p.file, ${isBookedByDebit()} as is_booked, p.came_back_by from payments p
    where p.id = any(${payments}::uuid[]) or (p.file = any(${files}::uuid[]) and p.state <> 'refused') order by p.id
  `.execute(tx);
  const [byId, byFile] = [new Map(rows.map((row) => [row.id, row])), Map.groupBy(rows, ({ file }) => file)];
  return new Map(
    debits.flatMap((debit, index) => {
      const { payment = '', files: named } = ids[index] as (typeof ids)[number];
      const one = byId.get(payment);
      const file = one === undefined ? named.find((id) => byFile.has(id)) : undefined;
      const all = one === undefined ? (byFile.get(file ?? '') ?? []) : [one];
      return all.length === 0 ? [] : [[debit, namedPayments(file, all)] as const];
    }),
  );
}

function namedPayments(file: string | undefined, payments: readonly NamedRow[]): NamedPayments {
  return {
    file,
    areBooked: payments.every(({ isBooked }) => isBooked),
    cameBackBy: payments.flatMap(({ cameBackBy }) => cameBackBy ?? []),
  };
}
