import { randomUUID } from 'node:crypto';
import { recordFile, type StoredFile, type Uploader } from '../../ledger/customers/files.ts';
import type { ApiDependencies } from '../api.ts';
import type { ReceivedFile } from './receive-file.ts';

/**
 * Stores a received file: the content before its record, so that every recorded file exists. Under a claimed id another run of the same
 * request may have stored it too.
 */
export async function storeFile(
  { ledger, files }: Pick<ApiDependencies, 'ledger' | 'files'>,
  uploader: Uploader,
  arrival: string,
  received: ReceivedFile,
  claimedId: string | undefined,
): Promise<StoredFile> {
  const id = claimedId ?? randomUUID();
  await files.keep(arrival, { id, ...received });
  try {
    return await recordFile(ledger, uploader, { id, ...received });
  } catch (error) {
    if (claimedId === undefined) await files.remove(id);
    throw error;
  }
}
