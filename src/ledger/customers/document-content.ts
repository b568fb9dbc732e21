import { createHash } from 'node:crypto';
import type { Actor } from '../../platform/acting.ts';
import { StopError } from '../../platform/errors.ts';
import type { FileStorage } from '../../platform/storage.ts';
import { recordAct } from '../access/audit-log.ts';
import type { Ledger } from '../ledger.ts';
import type { ProfileDocument } from './profile-documents.ts';

/** Records who reads documents of a profile, before they do. */
export async function recordDocumentsRead(
  ledger: Ledger,
  actor: Actor,
  profile: string,
  documents: readonly ProfileDocument[],
): Promise<void> {
  const files = documents.map(({ file }) => file.id);
  await recordAct(ledger, { actor, action: 'profile.documents', subjectKind: 'profile', subject: profile, detail: { files } });
}

/**
 * The content of a document, chunk by chunk. Throws `file_unreadable` when it cannot be read, and at its end when it is not what was uploaded: what
 * was read then is worth nothing.
 */
export async function* documentContent(storage: FileStorage, { id, hash }: ProfileDocument['file']): AsyncGenerator<Buffer> {
  const read = createHash('sha256');
  try {
    for await (const chunk of (await storage.read(id)) as AsyncIterable<Buffer>) {
      read.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw unreadable(id, 'cannot be read', error);
  }
  if (read.digest('hex') !== hash) throw unreadable(id, 'is not what was uploaded: its SHA-256 differs');
}

function unreadable(id: string, what: string, cause?: unknown): StopError {
  const where = 'this process needs the files of the API: its MINTRAIL_DATA_DIR, or FILES_S3_BUCKET and the credentials of it';
  return new StopError({ code: 'file_unreadable', message: `The file ${id} ${what}; ${where}`, cause });
}
