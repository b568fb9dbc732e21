import type { Kysely, Transaction } from 'kysely';
import type { LedgerTables } from './tables.ts';

/** The ledger's database, as all its store functions take it. */
export type Ledger = Kysely<LedgerTables>;

/** The same inside a database transaction: what is written through it stands or falls together. */
export type LedgerTransaction = Transaction<LedgerTables>;

/** Runs `work` in a database transaction: the one that is open, or else one of its own. */
export function inTransaction<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  return ledger.isTransaction ? work(ledger as LedgerTransaction) : ledger.transaction().execute(work);
}
