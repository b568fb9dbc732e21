import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StopError } from '../../platform/errors.ts';
import type { FileStorage } from '../../platform/storage.ts';

/** A statement of 200,000 entries, which a browser sends in reasonable time. Larger files go through the inbox or `mintrail bank import`. */
const maxFileBytes = 256 * 1024 * 1024;

/** The most bytes that a file can have which arrives by a request. Throws `body_too_large`. */
export function mostBytesOf(request: Request): number {
  const declared = request.headers.get('Content-Length');
  const bytes = declared === null ? maxFileBytes : Number(declared);
  if (bytes > maxFileBytes) throw tooLarge();
  return bytes;
}

/**
 * Receives a file that a browser sends, and hands on under which name it arrived: imports wait for each other, so no slow connection may hold up the others.
 * What was not kept is deleted afterwards. Throws `body_too_large`.
 */
export async function receiveFile<T>(files: FileStorage, request: Request, use: (arrival: string) => Promise<T>): Promise<T> {
  const arrival = randomUUID();
  const arrived = files.arriving(arrival);
  try {
    const body = request.body === null ? Readable.from([]) : Readable.from(request.body);
    await pipeline(body, atMost(maxFileBytes), createWriteStream(arrived, { mode: 0o600, flags: 'wx' }));
    return await use(arrival);
  } finally {
    await rm(arrived, { force: true });
  }
}

function atMost(bytes: number): Transform {
  let received = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      received += chunk.length;
      done(received > bytes ? tooLarge() : null, chunk);
    },
  });
}

function tooLarge(): StopError {
  const remedy = 'put it into BANK_INBOX, or import it by `mintrail bank import`';
  return new StopError({ code: 'body_too_large', message: `The file is larger than ${maxFileBytes / 1024 / 1024} MB: ${remedy}` });
}
