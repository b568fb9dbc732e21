import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StopError } from '../../platform/errors.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { fileChunks } from '../../statements/file-chunks.ts';
import type { BankFileReport } from '../../statements/import-file.ts';
import { importLogged } from '../../statements/import-logged.ts';
import type { ConsoleDependencies } from '../console-env.ts';

/** A statement of 200,000 entries, which a browser sends in reasonable time. Larger files go through the inbox or `mintrail bank import`. */
const maxFileBytes = 256 * 1024 * 1024;

/**
 * Imports a file that a browser sends, whole or not at all, as `mintrail bank import` does. It is received first: imports wait for each other, so no slow
 * connection may hold up the others. Throws `body_too_large`, `no_networks`, and what `importBankFile` throws.
 */
export async function receiveBankFile(
  { ledger, settings, files, log }: Pick<ConsoleDependencies, 'ledger' | 'settings' | 'files' | 'log'>,
  request: Request,
  name: string,
): Promise<BankFileReport> {
  const options = creditOptions(settings);
  if (Number(request.headers.get('Content-Length') ?? 0) > maxFileBytes) throw tooLarge();
  const arrived = files.arriving(randomUUID());
  try {
    const body = request.body === null ? Readable.from([]) : Readable.from(request.body);
    await pipeline(body, atMost(maxFileBytes), createWriteStream(arrived, { mode: 0o600, flags: 'wx' }));
    return await importLogged(ledger, log, { name, chunks: fileChunks(arrived), options, settings });
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
