import { type RawBuilder, sql } from 'kysely';
import type { LedgerTransaction } from '../ledger.ts';

/**
 * SQL: the source of the entries of a reversal: its reference, in an expression. A debit takes a credit back again after an operator undid that; the
 * source then says how often it was undone.
 */
export function reversalSource(reference: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(${reference} || coalesce(
    (select '#undone-' || u.reversals_undone from reversals v join bank_debits u on u.reference = v.debit
     where v.reference = ${reference} and u.reversals_undone > 0), ''))`;
}

/** The source of the entries that a recorded reversal makes now: {@link reversalSource}. */
export async function currentReversal(tx: LedgerTransaction, reference: string): Promise<string> {
  const { rows } = await sql<{ source: string }>`select ${reversalSource(sql`${reference}::text`)} as source`.execute(tx);
  return rows[0]?.source ?? reference;
}

/** SQL: the source of the entries by which a debit in a row is explained as money of the operator's own: its reference, and how often it was undone that it took a credit back. */
export function explainedSource(row: string): RawBuilder<string> {
  const [reference, undone] = [sql.ref(`${row}.reference`), sql.ref(`${row}.reversals_undone`)];
  return sql<string>`(${reference} || case when ${undone} > 0 then '#undone-' || ${undone} else '' end)`;
}
