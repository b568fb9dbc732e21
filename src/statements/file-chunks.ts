import { open } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';
import { messageOf, StopError } from '../platform/errors.ts';

/**
 * The bytes of a file. It is opened at the first read: an import may wait before it reads, and nobody would hear the errors of a
 * stream that is open already. Throws `file_unreadable`, with what the file system says as its cause.
 */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    const handle = await open(path);
    try {
      yield* handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
    } finally {
      await handle.close();
    }
  } catch (error) {
    const message = `The file ${path} cannot be read: ${reasonOf(error)}. Nothing of it was applied.`;
    throw new StopError({ code: 'file_unreadable', message, cause: error });
  }
}

/** The reason of the operating system alone, because Node's message repeats the path. */
function reasonOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? messageOf(error) : getSystemErrorMessage(errno);
}
