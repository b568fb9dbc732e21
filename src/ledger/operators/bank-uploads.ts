import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { bankUploadLock, takeLock } from '../advisory-locks.ts';
import { inTransaction, type Ledger } from '../ledger.ts';

/** Bytes of uploaded files that arrive or wait at most: four of the largest of one operator, and those of four such operators. */
const most = { ofOperator: 1024 ** 3, ofAll: 4 * 1024 ** 3 };

/** Hours after which a file that has not arrived never will: its process has ended. */
const arrivalHours = 24;

/** Makes room for a file of an operator that is about to arrive, with at most so many bytes. Throws `not_possible`. */
export async function beginUpload(
  ledger: Ledger,
  { file, operator, bytes }: { file: string; operator: string; bytes: number },
): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    // Two at once would both count too few.
    await takeLock(tx, bankUploadLock);
    const { own, all } = await tx
      .selectFrom('bankUploads')
      .select([
        sql<number>`coalesce(sum(bytes) filter (where operator = ${operator}), 0)::float`.as('own'),
        sql<number>`coalesce(sum(bytes), 0)::float`.as('all'),
      ])
      .executeTakeFirstOrThrow();
    if (own + bytes > most.ofOperator || all + bytes > most.ofAll)
      throw new StopError({
        code: 'not_possible',
        message: `Uploaded files of ${megabytes(all)} wait already, of which ${megabytes(own)} are yours, and this one may have ${megabytes(bytes)}: at most ${megabytes(most.ofOperator)} of one operator and ${megabytes(most.ofAll)} of all wait. Have them approved or refused first, or import it by \`mintrail bank import\``,
      });
    await tx
      .insertInto('bankUploads')
      .values({ file, operator, bytes: BigInt(bytes) })
      .execute();
  });
}

/** Records that a file has arrived, with its size, and which approval asks for its import. */
export async function keepUpload(ledger: Ledger, file: string, { bytes, approval }: { bytes: number; approval: string }): Promise<void> {
  await ledger
    .updateTable('bankUploads')
    .set({ bytes: BigInt(bytes), approval })
    .where('file', '=', file)
    .execute();
}

/** Gives the room of a file back, which is not in the storage any more. */
export async function endUpload(ledger: Ledger, file: string): Promise<void> {
  await ledger.deleteFrom('bankUploads').where('file', '=', file).execute();
}

/** Whether a file is one that an operator has uploaded, and no document of a customer. */
export async function isUpload(ledger: Ledger, file: string): Promise<boolean> {
  const upload = await ledger.selectFrom('bankUploads').where('file', '=', file).select('file').executeTakeFirst();
  return upload !== undefined;
}

/** Files that nobody can import any more: what asked for it has ended, or they have never arrived. */
export async function endedUploads(ledger: Ledger, limit: number): Promise<string[]> {
  const { rows } = await sql<{ file: string }>`
    select u.file from bank_uploads u left join approvals a on a.id = u.approval
    where a.state not in ('waiting', 'approved') or (u.approval is null and u.begun_at < now() - make_interval(hours => ${arrivalHours}))
    limit ${limit}
  `.execute(ledger);
  return rows.map(({ file }) => file);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MB`;
}
