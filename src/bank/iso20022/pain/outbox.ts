import { open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { PaymentFile } from '../../rail.ts';

/**
 * Writes a file whole or not at all: under a hidden name that no reader takes, flushed to the disk, then renamed, and the
 * folder flushed too, so that neither a crash nor a power cut leaves a part of it or loses it afterwards.
 */
export async function writeAtomically(folder: string, { name, content }: PaymentFile): Promise<void> {
  const draft = path.join(folder, `.${name}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    const file = await open(draft, 'wx', 0o640);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path.join(folder, name));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
