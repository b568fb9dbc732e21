import { type RawBuilder, sql } from 'kysely';
import type { LedgerTransaction } from '../ledger.ts';

/**
 * SQL: the source of the entries of a reversal: the debit, in an expression. A debit takes a credit back again after an operator undid that; the
 * source then says how often it was undone.
 */
export function reversalSource(debit: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(${debit} || coalesce(
    (select '#undone-' || u.reversals_undone from bank_debits u where u.reference = ${debit} and u.reversals_undone > 0), ''))`;
}

/** The source of the entries that a debit makes now: {@link reversalSource}. */
export async function currentReversal(tx: LedgerTransaction, debit: string): Promise<string> {
  const { rows } = await sql<{ source: string }>`select ${reversalSource(sql`${debit}::text`)} as source`.execute(tx);
  return rows[0]?.source ?? debit;
}
