import { sql } from 'kysely';
import { bankImportLock, takeLock } from '../advisory-locks.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** A file that was applied, with the report of its import. */
export interface BankFile {
  /** SHA-256 of the content. */
  hash: Buffer;
  name: string;
  /** `camt.053` or `camt.054`. */
  message: string;
  report: unknown;
}

/** Longest that an import waits for another one, and that a source of bytes may be silent while others wait. */
const lockSeconds = 300;
const silenceSeconds = 60;

/**
 * Makes this transaction the only import until it ends, in all processes: what a report of money changes depends on the
 * reports before it. Bounded on both sides, so that neither a crash nor a pipe that stalls blocks the bank's rail.
 */
export async function lockImports(tx: LedgerTransaction): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${lockSeconds}s`}, true),
    set_config('idle_in_transaction_session_timeout', ${`${silenceSeconds}s`}, true)`.execute(tx);
  await takeLock(tx, bankImportLock);
}

/** When a file of this content was applied; undefined when none was. */
export async function findBankFile(ledger: Ledger, hash: Buffer) {
  return ledger.selectFrom('bankFiles').where('hash', '=', hash).select(['name', 'message', 'report', 'importedAt']).executeTakeFirst();
}

/** Records that a file was applied, in the transaction that applied it. */
export async function recordBankFile(tx: LedgerTransaction, { hash, name, message, report }: BankFile): Promise<void> {
  await tx
    .insertInto('bankFiles')
    .values({ hash, name, message, report: JSON.stringify(report) })
    .execute();
}
