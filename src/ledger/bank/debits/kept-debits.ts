import { sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { keptReference } from '../derived-references.ts';
import { bookUnderStatements, listBookings } from '../statements/bank-statements.ts';
import { type AccountDebit, recordDebits, replaceDebits } from './bank-debits.ts';

/** What the bank has kept of money that it reports before and after its charges. */
export interface KeptDebit {
  /** The credit of that money. */
  credit: string;
  account: string;
  currency: string;
  bookedOn: string | null;
  /** Greater than zero. */
  amount: MinorUnits;
  /** The statements that list what is left. */
  statements: readonly (readonly string[])[];
  /** A clause for an operator. */
  problem: string;
}

/**
 * Records what the bank has kept as debits, which wait for an operator. Undoes those that wait and are not so any more: of these credits it has kept nothing but that. Returns
 * what it records.
 */
export async function keepDebits<Kept extends KeptDebit>(
  tx: LedgerTransaction,
  { credits, kept, source }: { credits: readonly string[]; kept: readonly Kept[]; source: string },
): Promise<(Kept & { debit: AccountDebit })[]> {
  const { rows } = await sql<{ reference: string; amount: MinorUnits; isOpen: boolean }>`
    select reference, amount, state = 'unexplained' as is_open from bank_debits where reference = any(${credits.map(keptReference)}::text[])
  `.execute(tx);
  const wanted = new Map(kept.map((debit) => [keptReference(debit.credit), debit]));
  const wrong = rows.flatMap(({ reference, amount, isOpen }) => (isOpen && wanted.get(reference)?.amount !== amount ? reference : []));
  await replaceDebits(tx, wrong);
  const known = new Set(rows.flatMap(({ reference }) => (wrong.includes(reference) ? [] : reference)));
  const recorded: (Kept & { debit: AccountDebit })[] = [];
  for (const [reference, debit] of wanted) {
    if (known.has(reference)) for (const statements of debit.statements) await listBookings(tx, statements, [reference]);
    else recorded.push({ ...debit, debit: await record(tx, reference, debit, source) });
  }
  return recorded;
}

async function record(
  tx: LedgerTransaction,
  reference: string,
  { account, currency, amount, problem, statements, ...kept }: KeptDebit,
  source: string,
): Promise<AccountDebit> {
  const bookedOn = kept.bookedOn ?? new Date().toISOString().slice(0, 10);
  const debit: AccountDebit = { reference, account, currency, amount, bookedOn, payee: {}, files: [], isSum: false, remittance: 'charges' };
  await bookUnderStatements(tx, (statements[0] ?? []).join(','), () => recordDebits(tx, [{ debit, problem }], source));
  return debit;
}
