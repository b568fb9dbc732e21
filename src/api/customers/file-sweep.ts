import { deleteUnfinishedFile, retireUnusedFiles, unfinishedFiles } from '../../ledger/customers/file-retention.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import type { FileStorage } from '../../platform/storage.ts';

/** Between two sweeps: short against the hour and the days after which files are deleted. */
const intervalMs = 600_000;

/** What a sweep works on. */
export interface SweptFiles {
  ledger: Ledger;
  files: Pick<FileStorage, 'remove'>;
  log: Log;
}

/** Deletes files that were never used, and what is left of broken-off uploads (docs/api.md, Files). Any number of copies may do so. */
export function startFileSweep(swept: SweptFiles): Loop {
  return startLoop({ name: 'file sweep', intervalMs, log: swept.log, turn: () => sweepFiles(swept) });
}

/** One sweep, of at most 100 files. A file that the storage does not delete is tried again in the next sweep, and does not keep the others. */
export async function sweepFiles({ ledger, files, log }: SweptFiles): Promise<void> {
  const retired = await retireUnusedFiles(ledger);
  let deleted = 0;
  const failures: { file: string; error: unknown }[] = [];
  for (const id of await unfinishedFiles(ledger)) {
    try {
      if (await deleteUnfinishedFile(ledger, id, files.remove)) deleted += 1;
    } catch (error) {
      failures.push({ file: id, error });
    }
  }
  if (deleted > 0) log.info({ files: deleted, neverUsed: retired }, 'files deleted that nobody needs');
  const [first] = failures;
  // Once for all: an outage of the storage fails for each of them.
  if (first)
    log.warn({ files: failures.length, file: first.file, err: messageOf(first.error) }, 'files not deleted; they will be tried again');
}
