import { sql } from 'kysely';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { bookEntries } from '../../book/entries.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { asDifferences, recordDebits, type UnreadableAccountDebit } from './bank-debits.ts';
import { explanationWrong } from './debit-explanation.ts';

/** Records debits whose amounts cannot be read, each once: they wait for an operator. Returns the references of the new ones. */
export async function recordUnreadableDebits(
  tx: LedgerTransaction,
  debits: readonly UnreadableAccountDebit[],
  source: string,
): Promise<string[]> {
  const unreadable = debits.map((debit) => ({ debit, problem: problemOf(debit.amountText) }));
  return recordDebits(tx, unreadable, source);
}

/** Why an unreadable debit waits, as a clause. */
export function problemOf(amountText: string): string {
  return `its amount, ${amountText === '' ? 'which is missing' : amountText}, cannot be read: ask the bank`;
}

/** The amounts that operators have named of debits which no report could be read of, by these references. */
export async function findNamedAmounts(tx: LedgerTransaction, references: readonly string[]): Promise<Map<string, MinorUnits | null>> {
  if (references.length === 0) return new Map();
  const { rows } = await sql<{ reference: string; amount: MinorUnits | null }>`
    select d.reference, d.amount from bank_debits d
    where d.reference = any(${references}::text[]) and d.amount is not null and not exists (select from report_money r where r.debit = d.reference)
  `.execute(tx);
  return new Map(rows.map(({ reference, amount }) => [reference, amount]));
}

/** An operator says what an unreadable debit was over: it is a difference in the book from then on. Throws `bad_input` for one whose amount is known. */
export async function nameAmount(tx: LedgerTransaction, reference: string, amount: MinorUnits): Promise<void> {
  const { rows } = await sql`
    with named as (
      update bank_debits set amount = ${amount} where reference = ${reference} and amount is null and state = 'unexplained' returning *
    ), ${bookEntries(asDifferences('named'))}
    select from named
  `.execute(tx);
  if (rows.length === 0) throw explanationWrong(`its amount is known, and ${formatAmount(amount)} cannot replace it`);
}
