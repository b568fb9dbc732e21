import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { fileTypeFromFile } from 'file-type';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Uploader, uploaderKey } from '../../ledger/customers/files.ts';
import type { StopError } from '../../platform/errors.ts';
import { documentProblem, documentTypes, type ScannerSettings } from './documents/document-problem.ts';
import { invalid, unsupportedType } from '../http/errors.ts';
import { controlCharacters, countCharacters } from '../../wire/text.ts';

/** Limits of an upload (docs/api.md, Files). */
const maxBytes = 5 * 1024 * 1024;
const maxNameLength = 100;

/** Bytes for part headers, boundaries, and fields that clients send besides the file. */
const maxEnvelopeBytes = 64 * 1024;

const limits = {
  fileSize: maxBytes,
  fields: 20,
  fieldNameSize: 100,
  fieldSize: 16 * 1024,
  headerPairs: 20,
  headerSize: 8 * 1024,
};

const tooLarge = `must be at most ${maxBytes / 1024 / 1024} MB`;

/** A file that was uploaded whole; `size` is in bytes, `type` its media type. */
export interface ReceivedFile {
  name: string;
  type: string;
  size: number;
  /** SHA-256, hexadecimal. */
  hash: string;
}

/** A multipart form with files. */
export interface UploadForm {
  /** The names of its file parts, and how many files each may have. The first is named where a part is missing. */
  parts: Readonly<Record<string, number>>;
  /** A new path, to which the next file is written. */
  nextPath: () => string;
  /** Whether a part without a file name is a file that the user did not choose, as in browsers; otherwise it is an error. */
  isOptional?: boolean;
  /** Called with the fields before the first file, or with all fields when there is none. What it throws ends the upload. */
  admit?: (fields: URLSearchParams) => void;
}

/** What decides how received files are checked: whose turn they take, and where the virus scanner is. */
export interface UploadChecks {
  uploader: Uploader;
  settings: ScannerSettings;
}

/** A file of a multipart form, written to `path`. */
export interface ReceivedPart extends ReceivedFile {
  part: string;
  path: string;
}

/**
 * Streams the part `file` of a multipart body to `path`, hashes it, detects its media type by the content and opens it. Fails as early as it can:
 * throws `invalid_request`, `unsupported_media_type`, `antivirus_unavailable`, `rate_limited`. After an error the caller removes what was written.
 */
export async function receiveFile(request: Request, path: string, checks: UploadChecks): Promise<ReceivedFile> {
  const { files } = await receiveForm(request, { parts: { file: 1 }, nextPath: () => path }, checks);
  const [file] = files;
  if (!file) throw invalid({ file: 'is required: a part named file, with a file name' });
  const { name, size, hash, type } = file;
  return { name, size, hash, type };
}

/** The same as {@link receiveFile}, for a form with fields and several files. Errors have the name of their part. */
export async function receiveForm(
  request: Request,
  form: UploadForm,
  checks: UploadChecks,
): Promise<{ fields: URLSearchParams; files: ReceivedPart[] }> {
  const count = Object.values(form.parts).reduce((sum, files) => sum + files, 0);
  const [firstPart = 'file'] = Object.keys(form.parts);
  if (Number(request.headers.get('Content-Length') ?? 0) > count * maxBytes + maxEnvelopeBytes) throw invalid({ [firstPart]: tooLarge });
  const parser = openForm(request, count);
  const body = request.body as ReadableStream<Uint8Array> | null;
  if (!body) throw invalid({ [firstPart]: 'is required' });

  const { fields, written } = await readForm(parser, body, { ...form, firstPart });
  const files: ReceivedPart[] = [];
  for (const file of written) files.push({ ...file, type: await checkContent(file, request.signal, checks) });
  return { fields, files };
}

/** The media type of a written file, by its content, which opens. */
async function checkContent({ part, path, size }: Written, signal: AbortSignal, { uploader, settings }: UploadChecks): Promise<string> {
  if (size === 0) throw invalid({ [part]: 'must not be empty' });
  const detected = await fileTypeFromFile(path);
  if (!detected || !documentTypes.has(detected.mime)) throw invalid({ [part]: 'must be a PDF, JPEG or PNG, by its content' });
  const opening = { file: path, uploader: uploaderKey(uploader), signal };
  const problem = await documentProblem(opening, detected.mime, settings).catch((error: unknown) => {
    throw signal.aborted ? incomplete(part) : error;
  });
  if (problem !== undefined) throw invalid({ [part]: problem });
  return detected.mime;
}

function openForm(request: Request, files: number): BusboyInstance {
  const type = request.headers.get('Content-Type') ?? '';
  const problem = { body: 'must be sent with the header Content-Type: multipart/form-data; boundary=...' };
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) throw unsupportedType(problem);
  try {
    const headers = { 'content-type': type };
    return new Busboy({ headers, limits: { ...limits, files, parts: files + limits.fields } });
  } catch {
    throw invalid(problem);
  }
}

type Written = Omit<ReceivedPart, 'type'>;

/** What has been read of a form: its first error, its fields, and the files that are being written. */
interface Reading {
  error?: unknown;
  isAdmitted: boolean;
  fields: URLSearchParams;
  writing: Promise<Written>[];
}

async function readForm(parser: BusboyInstance, body: ReadableStream<Uint8Array>, form: UploadForm & { firstPart: string }) {
  const abort = new AbortController();
  const reading: Reading = { isAdmitted: false, fields: new URLSearchParams(), writing: [] };
  const fail = (error: unknown) => {
    reading.error ??= error;
    abort.abort();
  };
  listen(parser, form, { reading, fail, abort });
  const [read] = await Promise.allSettled([pipeline(Readable.fromWeb(body), parser, { signal: abort.signal })]);
  if (read.status === 'rejected') abort.abort();
  const writing = await Promise.allSettled(reading.writing);
  if (reading.error !== undefined) throw reading.error;
  const written: Written[] = [];
  for (const result of writing) {
    if (result.status === 'fulfilled') written.push(result.value);
    else throw isDiskError(result.reason) ? result.reason : incomplete(form.firstPart);
  }
  if (read.status === 'rejected') throw incomplete(form.firstPart);
  if (!reading.isAdmitted) form.admit?.(reading.fields);
  return { fields: reading.fields, written };
}

function incomplete(part: string): StopError {
  return invalid({ [part]: 'is incomplete, or not well-formed multipart/form-data' });
}

interface Listening {
  reading: Reading;
  fail: (error: unknown) => void;
  abort: AbortController;
}

/** Collects the fields of a form, and writes its files once the form is admitted. */
function listen(parser: BusboyInstance, form: UploadForm & { firstPart: string }, { reading, fail, abort }: Listening): void {
  const counts = new Map<string, number>();
  const refuse = (part: string, text: string) => fail(invalid({ [part]: text }));
  parser.on('field', (name, value: string) => {
    if (isDamaged(name) || isDamaged(value)) return refuse(name, `must be ${undamaged}`);
    reading.fields.append(name, value);
  });
  parser.on('file', (part, stream, fileName: string | undefined) => {
    stream.on('error', () => abort.abort());
    const name = fileName ?? '';
    if (name === '' && form.isOptional === true) return void stream.resume();
    const count = (counts.get(part) ?? 0) + 1;
    counts.set(part, count);
    const most = form.parts[part];
    if (most === undefined) return refuse(form.firstPart, `is required: the part of the file must be named ${form.firstPart}`);
    if (count > most) return refuse(part, filesText({ [part]: most }));
    const problem = nameProblem(name);
    if (problem !== undefined) return refuse(part, problem);
    try {
      if (!reading.isAdmitted) form.admit?.(reading.fields);
      reading.isAdmitted = true;
    } catch (error) {
      return fail(error);
    }
    stream.on('limit', () => refuse(part, tooLarge));
    const path = form.nextPath();
    const writing = write(stream, path, abort.signal).then((file) => ({ ...file, part, name, path }));
    writing.catch(() => abort.abort());
    reading.writing.push(writing);
  });
  parser.on('filesLimit', () => refuse(form.firstPart, filesText(form.parts)));
  parser.on('fieldsLimit', () => refuse(form.firstPart, 'has too many fields beside it'));
  parser.on('partsLimit', () => refuse(form.firstPart, 'has too many parts beside it'));
}

function filesText(parts: UploadForm['parts']): string {
  const most = Object.values(parts).reduce((sum, files) => sum + files, 0);
  return most === 1 ? 'must be a single file' : `must be at most ${most} files`;
}

async function write(stream: Readable, path: string, signal: AbortSignal): Promise<{ size: number; hash: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  const file = createWriteStream(path, { flush: true, mode: 0o600 });
  try {
    await pipeline(stream, count, file, { signal });
  } finally {
    // A file that is still being opened would appear after the caller has removed it.
    if (!file.closed) await once(file.destroy(), 'close');
  }
  return { size, hash: hash.digest('hex') };
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'must have a name';
  if (countCharacters(name) > maxNameLength) return `must have a name of at most ${maxNameLength} characters`;
  if (isDamaged(name) || !name.isWellFormed()) return `must have a name in ${undamaged}`;
  return controlCharacters.test(name) ? 'must have a name without control characters' : undefined;
}

const undamaged = 'UTF-8 without U+FFFD, which stands for a character that was lost before';

/** The parser puts U+FFFD for bytes that are not in their encoding. A text may have it also because it was damaged elsewhere. */
function isDamaged(text: string): boolean {
  return text.includes('\uFFFD');
}

function isDiskError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}
