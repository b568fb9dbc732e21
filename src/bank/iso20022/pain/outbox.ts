import { randomBytes } from 'node:crypto';
import { access, constants, open, rename, statfs, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PaymentFile } from '../../rail.ts';

/**
 * Writes a file whole or not at all, so that neither a crash nor a power cut leaves a part of it, or loses it afterwards:
 * under a hidden temporary name, flushed to disk, then renamed, and the folder flushed too. An existing file of the name
 * is replaced. Throws the file system's error.
 */
export async function writeAtomically(folder: string, { name, content }: PaymentFile): Promise<void> {
  const draft = path.join(folder, `.${name}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o640, flush: true });
    await rename(draft, path.join(folder, name));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(folder);
}

/** Room for some files of the most payments that one can have. */
const leastFreeBytes = 16 * 1024 * 1024;

/** Whether files can be written to a folder: it exists, this user may write there, and its file system is neither read-only nor full. */
export async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(path.join(folder, '.'), constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= leastFreeBytes;
  } catch {
    return false;
  }
}

/** A rename is only durable once the folder is. */
async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
