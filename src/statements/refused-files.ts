import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { findBankFile } from '../ledger/bank/bank-files.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** A file of the bank's inbox of which nothing was applied. */
export interface RefusedFile {
  name: string;
  /** When it was put into the inbox. */
  receivedAt: Date;
  /** Why, by the report beside it; null when that is missing or damaged. */
  error: { code: string; message: string } | null;
}

/** The refused files that were not applied since. */
export interface RefusedFiles {
  files: RefusedFile[];
  /** Whether there are more. */
  hasMore: boolean;
}

/** Files that are looked at one by one: each is read from end to end once. */
const mostFiles = 20;

const reportSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/**
 * Lists the refused files of an inbox that were not applied since, by the worker, by `mintrail bank import` or by the console. The returned function
 * reads each file once, for as long as it stays the same.
 */
export function createRefusedFilesReader(inbox: string): (ledger: Ledger) => Promise<RefusedFiles> {
  const folder = path.join(inbox, 'failed');
  let hashes = new Map<string, Buffer>();
  return async (ledger) => {
    const names = (await namesIn(folder)).filter((name) => !name.startsWith('.') && !name.endsWith('.report.json')).toSorted();
    const seen = new Map<string, Buffer>();
    const files: RefusedFile[] = [];
    for (const name of names.slice(0, mostFiles)) {
      const file = path.join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (!stats?.isFile()) continue;
      const key = `${name} ${stats.size} ${stats.mtimeMs} ${stats.ino}`;
      const hash = hashes.get(key) ?? (await hashOf(file).catch(() => undefined));
      if (hash !== undefined) seen.set(key, hash);
      // One that cannot be read is taken for one that was not applied.
      if (hash === undefined || (await findBankFile(ledger, hash)) === undefined)
        files.push({ name, receivedAt: stats.mtime, error: await errorOf(file) });
    }
    hashes = seen;
    return { files, hasMore: names.length > mostFiles };
  };
}

/** The folder is made when the first file is refused. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function hashOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest();
}

async function errorOf(file: string): Promise<RefusedFile['error']> {
  try {
    return reportSchema.parse(JSON.parse(await readFile(`${file}.report.json`, 'utf8'))).error;
  } catch {
    return null;
  }
}
