import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Hono } from 'hono';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { findBankFile, type ImportedFile, listBankFiles } from '../../ledger/bank/bank-files.ts';
import { requestApproval } from '../../ledger/operators/approvals.ts';
import { beginUpload, endUpload, keepUpload } from '../../ledger/operators/bank-uploads.ts';
import { inOpenSession, requireOpenSession } from '../../ledger/operators/open-session.ts';
import { StopError } from '../../platform/errors.ts';
import { needsFourEyes } from '../../platform/settings.ts';
import type { FileStorage } from '../../platform/storage.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { fileChunks } from '../../statements/file-chunks.ts';
import { type BankFileReport, importBankFile } from '../../statements/import-file.ts';
import { importLogged } from '../../statements/import-logged.ts';
import { createRefusedFilesReader } from '../../statements/refused-files.ts';
import { asSentence } from '../../operations/prepare-verb.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { requireRole } from '../http/require-session.ts';
import { describeImport, importUpload, removeEndedUploads } from '../../operations/bank/import-upload.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Rows of a page of the bank's lists at most. */
const mostListed = 200;

const page = validated('query', z.object({ after: sha256.optional(), limit: z.coerce.number().int().min(1).max(mostListed).default(50) }));

/** A name as the bank or the operator's computer gave it, without the folders before it. */
const fileName = z
  .string()
  .trim()
  .transform((value) => value.split(/[/\\]/).at(-1) ?? '')
  .pipe(z.string().min(1).max(255));

/** By its folder: a process has one inbox. */
const refusedReaders = new Map<string, ReturnType<typeof createRefusedFilesReader>>();

/** The bank's files with what each did, those that the inbox refused, and the upload of another one. */
export const fileRoutes = new Hono<ConsoleEnv>()
  .get('/', page, async (context) => {
    const { after, limit } = context.req.valid('query');
    const files = await listBankFiles(context.var.ledger, limit + 1, after === undefined ? undefined : Buffer.from(after, 'hex'));
    const shown = files.slice(0, limit).map(summarise);
    return context.json({ files: shown, next: files.length > limit ? shown.at(-1)?.hash : undefined }, 200);
  })
  .get('/refused', async (context) => {
    const { ledger, settings } = context.var;
    const inbox = settings.bankInbox;
    if (inbox === undefined) return context.json({ inbox: null, files: [], hasMore: false }, 200);
    const readRefused = refusedReaders.get(inbox) ?? createRefusedFilesReader(inbox);
    refusedReaders.set(inbox, readRefused);
    return context.json({ inbox, ...(await readRefused(ledger)) }, 200);
  })
  .get('/:hash', validated('param', z.object({ hash: sha256 })), async (context) => {
    const { hash } = context.req.valid('param');
    const file = await findBankFile(context.var.ledger, Buffer.from(hash, 'hex'));
    if (file === undefined) throw new StopError({ code: 'not_found', message: `No bank file with the SHA-256 ${hash} was imported` });
    const { name, message, importedAt } = file;
    return context.json({ hash, name, message, importedAt, report: file.report as BankFileReport }, 200);
  })
  .post('/', requireRole('treasurer', 'administrator'), validated('query', z.object({ name: fileName })), async (context) => {
    const { ledger, settings, files, log, correlationId, operator } = context.var;
    const { name } = context.req.valid('query');
    const options = creditOptions(settings);
    await removeEndedUploads(ledger, files);
    const id = randomUUID();
    let isStored = false;
    await beginUpload(ledger, { file: id, operator: operator.name, bytes: mostBytesOf(context.req.raw) });
    try {
      return await receiveFile(files, context.req.raw, async (arrival) => {
        // Receiving it may have taken long.
        await requireOpenSession(ledger, operator);
        const file = { name, chunks: fileChunks(files.arriving(arrival)), options, settings };
        if (!needsFourEyes(settings)) return context.json(await importLogged(ledger, log.child({ correlationId }), file), 200);
        // Nobody is asked about a file that cannot be applied, or changes nothing.
        const preview = await importBankFile(ledger, file, { isPreview: true });
        if (preview.state === 'already_imported') return context.json(preview, 200);
        const { size } = await stat(files.arriving(arrival));
        isStored = true;
        await files.keep(arrival, { id, type: 'application/xml', size });
        const description = asSentence(describeImport(name, preview));
        const request = { action: importUpload.name, input: JSON.stringify({ file: id, name }), description };
        const requested = inOpenSession(ledger, operator, async (tx) => {
          const { id: approval } = await requestApproval(tx, operator.name, request);
          await keepUpload(tx, id, { bytes: size, approval });
          return approval;
        });
        const approval = await requested.catch(async (error: unknown) => {
          await files.remove(id);
          isStored = false;
          throw error;
        });
        return context.json({ state: 'waiting' as const, approval }, 202);
      });
    } finally {
      if (!isStored) await endUpload(ledger, id);
    }
  });

/** A file with the figures of its report; the entries to be looked at are in the report. */
function summarise({ hash, name, message, importedAt, report }: ImportedFile) {
  const { counts, alerts, omitted, ...facts } = report as BankFileReport;
  return {
    hash: hash.toString('hex'),
    name,
    message,
    importedAt,
    counts: counts as Record<string, number>,
    sums: 'sums' in facts ? facts.sums : null,
    settled: 'settled' in facts ? facts.settled : 0,
    unexplained: 'unexplained' in facts ? facts.unexplained : 0,
    alerts: alerts.length + omitted,
  };
}

/** A statement of 200,000 entries, which a browser sends in reasonable time. Larger files go through the inbox or `mintrail bank import`. */
const maxFileBytes = 256 * 1024 * 1024;

/** The most bytes that a file can have which arrives by a request. Throws `body_too_large`. */
function mostBytesOf(request: Request): number {
  const declared = request.headers.get('Content-Length');
  const bytes = declared === null ? maxFileBytes : Number(declared);
  if (bytes > maxFileBytes) throw tooLarge();
  return bytes;
}

/**
 * Receives a file that a browser sends, and hands on under which name it arrived: imports wait for each other, so no slow connection may hold up the others.
 * What was not kept is deleted afterwards. Throws `body_too_large`.
 */
async function receiveFile<T>(files: FileStorage, request: Request, use: (arrival: string) => Promise<T>): Promise<T> {
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
