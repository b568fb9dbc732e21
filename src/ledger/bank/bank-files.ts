import { type Selectable, sql } from 'kysely';
import { bankImportLock, takeLock } from '../advisory-locks.ts';
import type { LedgerTables } from '../../schema/tables.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** An imported file, by the SHA-256 of its content, with the kind of its message and the report of its import. */
export type ImportedFile = Selectable<LedgerTables['bankFiles']>;

/** How long an import waits for another one, and how long the source of its bytes may send nothing while others wait. */
const lockSeconds = 300;
const silenceSeconds = 60;

/**
 * Waits until no other process imports, and keeps others waiting until this transaction ends: the effect of a report depends on the reports
 * before it. Both times are limited, so that neither a crash nor a stalled pipe blocks later imports.
 *
 * Its statements are planned each time. A file fills tables of which the planner has no statistics before the commit, so a plan that was made
 * when they were empty would read them from end to end for each block of the file.
 */
export async function lockImports(tx: LedgerTransaction): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${lockSeconds}s`}, true),
    set_config('idle_in_transaction_session_timeout', ${`${silenceSeconds}s`}, true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx);
  await takeLock(tx, bankImportLock);
}

/**
 * Runs inserts of an import with plans that are kept, as outside of an import. PostgreSQL would plan the check of each foreign key for each row, which
 * is a third of their cost.
 */
export async function withKeptPlans<T>(tx: LedgerTransaction, insert: () => Promise<T>): Promise<T> {
  await sql`select set_config('plan_cache_mode', 'auto', true)`.execute(tx);
  const result = await insert();
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx);
  return result;
}

/** The import of a file with this SHA-256; `undefined` when there was none. */
export async function findBankFile(ledger: Ledger, hash: Buffer) {
  return ledger.selectFrom('bankFiles').where('hash', '=', hash).select(['name', 'message', 'report', 'importedAt']).executeTakeFirst();
}

/** Files that are counted at most: more than any bank sends in a day. */
const mostCounted = 1_000;

/** How many files were imported in the last 24 hours; more than 1,000 are 1,001. */
export async function countRecentBankFiles(ledger: Ledger): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    select count(*)::int as files from (select from bank_files where imported_at > now() - interval '24 hours' limit ${mostCounted + 1}) f
  `.execute(ledger);
  return rows[0]?.files ?? 0;
}

/** Imported files, the latest first; `after` is the hash of the last one of the page before. */
export async function listBankFiles(ledger: Ledger, limit: number, after?: Buffer): Promise<ImportedFile[]> {
  return ledger
    .selectFrom('bankFiles')
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(imported_at, hash) < (select f.imported_at, f.hash from bank_files f where f.hash = ${after})`),
    )
    .orderBy('importedAt', 'desc')
    .orderBy('hash', 'desc')
    .limit(limit)
    .selectAll()
    .execute();
}

/** Records an imported file, in the transaction of its import. */
export async function recordBankFile(tx: LedgerTransaction, { report, ...file }: Omit<ImportedFile, 'importedAt'>): Promise<void> {
  const row = { ...file, report: JSON.stringify(report) };
  await tx.insertInto('bankFiles').values(row).execute();
}
