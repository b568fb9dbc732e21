import { forgetFile, retireUnusedFiles, unfinishedFiles } from '../../ledger/customers/file-retention.ts';
import type { Ledger } from '../../ledger/ledger.ts';
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

/** One sweep, of at most 100 files. The content goes before the record, so that a crash leaves nothing that no record names. */
export async function sweepFiles({ ledger, files, log }: SweptFiles): Promise<void> {
  const retired = await retireUnusedFiles(ledger);
  const ids = await unfinishedFiles(ledger);
  for (const id of ids) {
    await files.remove(id);
    await forgetFile(ledger, id);
  }
  if (ids.length > 0) log.info({ files: ids.length, neverUsed: retired }, 'files deleted that nobody needs');
}
