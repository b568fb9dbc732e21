import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../ledger.ts';

/** How long a file is kept that no order and no verification has named (docs/api.md, Files). */
const unusedDays = 30;

/** An upload takes seconds: one that has not ended after this time was broken off by a crash. */
const unfinishedHours = 1;

const batchSize = 100;

/**
 * Takes files away from their owners that were never used in 30 days. Their content is still in the storage. Returns how many; at most 100 at a
 * time.
 */
export async function retireUnusedFiles(ledger: Ledger): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update files set stored_at = null where id in (
      select id from files where used_at is null and stored_at is not null and created_at < now() - make_interval(days => ${unusedDays})
      order by created_at limit ${batchSize} for update skip locked)`.execute(ledger);
  return Number(numAffectedRows);
}

/** The ids of files that are not, or no longer, in the storage as a whole, and that nobody is uploading: at most 100, the oldest first. */
export async function unfinishedFiles(ledger: Ledger): Promise<string[]> {
  const files = await ledger.selectFrom('files').where(isUnfinished).orderBy('createdAt').limit(batchSize).select('id').execute();
  return files.map(({ id }) => id);
}

/**
 * Deletes an unfinished file: first its content, by `removeContent`, then its record, so that a crash leaves nothing that no record names. The record
 * is locked meanwhile: an upload of the same id waits. A file that is uploaded or stored again since it was listed stays. Returns whether it is
 * deleted. Throws what `removeContent` throws; then the record stays.
 */
export async function deleteUnfinishedFile(ledger: Ledger, id: string, removeContent: (id: string) => Promise<void>): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const file = await tx
      .selectFrom('files')
      .where('id', '=', id)
      .where(isUnfinished)
      .select('id')
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!file) return false;
    await removeContent(id);
    await tx.deleteFrom('files').where('id', '=', id).execute();
    return true;
  });
}

const isUnfinished = () => sql<boolean>`stored_at is null and created_at < now() - make_interval(hours => ${unfinishedHours})`;
