import path from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { createRefusedFilesReader, type RefusedFile } from '../../statements/refused-files.ts';
import type { Alarms } from '../alarms.ts';

/** Whose refused files are watched, and how often. */
export interface RefusedFilesDeps {
  folder: string;
  ledger: Ledger;
  alarms: Alarms;
  intervalMs: number;
}

/**
 * Raises an alarm while the inbox has refused files that were not applied since. The returned function is called at each turn of the inbox, and looks
 * once in an interval.
 */
export function createRefusedFilesWatch({ folder, ledger, alarms, intervalMs }: RefusedFilesDeps): () => Promise<void> {
  const readRefused = createRefusedFilesReader(folder);
  let lookedAt = -intervalMs;
  return async () => {
    if (performance.now() < lookedAt + intervalMs) return;
    lookedAt = performance.now();
    const { files, hasMore } = await readRefused(ledger);
    const [first] = files;
    if (first === undefined) return alarms.clear('bank_files_refused', 'inbox');
    const count = files.length === 1 ? 'a bank file was' : `${hasMore ? 'many' : files.length} bank files were`;
    const remedy = 'correct the cause and move the file back to BANK_INBOX; or delete it there when another has what it says';
    const text = `${count} refused and not applied, in ${path.join(folder, 'failed')}: ${describe(first)}. Of each: ${remedy}`;
    alarms.raise('bank_files_refused', 'inbox', text);
  };
}

function describe({ name, error }: RefusedFile): string {
  return `${name} (${error === null ? 'its report is missing or damaged' : `${error.code}: ${error.message.slice(0, 200)}`})`;
}
