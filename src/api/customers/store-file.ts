import { randomUUID } from 'node:crypto';
import { beginFile, completeFile, type StoredFile, type Uploader } from '../../ledger/customers/files.ts';
import type { ApiDependencies } from '../api.ts';
import type { ReceivedFile } from './receive-file.ts';

/**
 * Stores a received file. Its record comes first and is completed last, so that no crash leaves content that no record names. Under a claimed id
 * another run of the same request may have stored it too. Throws `quota_exceeded`.
 */
export async function storeFile(
  { ledger, files }: Pick<ApiDependencies, 'ledger' | 'files'>,
  uploader: Uploader,
  arrival: string,
  received: ReceivedFile,
  claimedId: string | undefined,
): Promise<StoredFile> {
  const id = claimedId ?? randomUUID();
  await beginFile(ledger, uploader, { id, ...received });
  await files.keep(arrival, { id, ...received });
  return completeFile(ledger, id);
}
