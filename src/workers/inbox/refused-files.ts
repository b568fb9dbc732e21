import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { findBankFile } from '../../ledger/bank/bank-files.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Alarms } from '../alarms.ts';
import { lookAt } from './files.ts';

/** Files that are looked at one by one: each is read from end to end once. */
const mostFiles = 20;

/** Whose refused files are watched, and how often. */
export interface RefusedFilesDeps {
  folder: string;
  ledger: Ledger;
  alarms: Alarms;
  intervalMs: number;
}

const reportSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/**
 * Raises an alarm while the inbox has refused files that were not applied since, by the worker or by `mintrail bank import`. The returned function is called at
 * each turn of the inbox, and looks once in an interval.
 */
export function createRefusedFilesWatch({ folder, ledger, alarms, intervalMs }: RefusedFilesDeps): () => Promise<void> {
  const failed = path.join(folder, 'failed');
  const hashes = new Map<string, Buffer>();
  let lookedAt = -intervalMs;
  return async () => {
    if (performance.now() < lookedAt + intervalMs) return;
    lookedAt = performance.now();
    const names = (await readdir(failed)).filter((name) => !name.startsWith('.') && !name.endsWith('.report.json')).toSorted();
    const refused: string[] = [];
    for (const name of names.slice(0, mostFiles)) {
      const file = await lookAt(path.join(failed, name));
      if (file === undefined) continue;
      const key = `${name} ${file.seen}`;
      const hash = hashes.get(key) ?? (await hashOf(file.path));
      hashes.set(key, hash);
      if ((await findBankFile(ledger, hash)) === undefined) refused.push(`${name} (${await reasonOf(file.path)})`);
    }
    if (refused.length === 0) return alarms.clear('bank_files_refused', 'inbox');
    const count = refused.length === 1 ? 'a bank file was' : `${names.length > mostFiles ? 'many' : refused.length} bank files were`;
    const remedy = 'correct the cause and move the file back to BANK_INBOX; or delete it there when another has what it says';
    alarms.raise('bank_files_refused', 'inbox', `${count} refused and not applied, in ${failed}: ${refused[0]}. Of each: ${remedy}`);
  };
}

async function hashOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest();
}

async function reasonOf(file: string): Promise<string> {
  const text = await readFile(`${file}.report.json`, 'utf8').catch(() => '{}');
  const { data } = reportSchema.safeParse(JSON.parse(text));
  return data === undefined ? 'its report is missing' : `${data.error.code}: ${data.error.message.slice(0, 200)}`;
}
