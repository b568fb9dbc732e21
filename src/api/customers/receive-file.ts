import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { fileTypeFromFile } from 'file-type';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { StopError } from '../../platform/errors.ts';
import { invalid } from '../http/errors.ts';
import { controlCharacters, countCharacters } from '../../wire/text.ts';

/** Limits of an upload (docs/api.md, Files). */
const maxBytes = 5 * 1024 * 1024;
const maxNameLength = 100;
const types = new Set(['application/pdf', 'image/jpeg', 'image/png']);

/** Bytes for part headers, boundaries, and fields that clients send besides the file. */
const maxEnvelopeBytes = 64 * 1024;

const limits = {
  fileSize: maxBytes,
  files: 1,
  fields: 20,
  parts: 21,
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

/**
 * Streams the part `file` of a multipart body to `path`, hashes it, and detects its media type by the content. Fails as early as it can:
 * throws `invalid_request`. After an error the caller removes what was written.
 */
export async function receiveFile(request: Request, path: string): Promise<ReceivedFile> {
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes + maxEnvelopeBytes) throw invalid({ file: tooLarge });
  const form = openForm(request);
  const body = request.body as ReadableStream<Uint8Array> | null;
  if (!body) throw invalid({ file: 'is required' });

  const { name, size, hash } = await readForm(form, body, path);
  if (size === 0) throw invalid({ file: 'must not be empty' });
  const detected = await fileTypeFromFile(path);
  if (!detected || !types.has(detected.mime)) throw invalid({ file: 'must be a PDF, JPEG or PNG, by its content' });
  return { name, size, hash, type: detected.mime };
}

function openForm(request: Request): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': request.headers.get('Content-Type') ?? '' }, limits });
  } catch {
    throw invalid({ body: 'must be sent with the header Content-Type: multipart/form-data; boundary=...' });
  }
}

type Written = Omit<ReceivedFile, 'type'>;

async function readForm(form: BusboyInstance, body: ReadableStream<Uint8Array>, path: string): Promise<Written> {
  const abort = new AbortController();
  const state: { error?: StopError; written?: Promise<Written> } = {};
  const fail = (text: string) => {
    state.error ??= invalid({ file: text });
    abort.abort();
  };
  form.on('file', (field, stream, name: string | undefined) => {
    const problem = field === 'file' ? nameProblem(name ?? '') : 'is required: the part of the file must be named file';
    stream.on('error', () => abort.abort());
    stream.on('limit', () => fail(tooLarge));
    if (problem !== undefined) return fail(problem);
    state.written = write(stream, path, abort.signal).then((written) => ({ ...written, name: name ?? '' }));
    state.written.catch(() => abort.abort());
  });
  form.on('filesLimit', () => fail('must be a single file'));
  form.on('fieldsLimit', () => fail('has too many fields beside it'));
  form.on('partsLimit', () => fail('has too many parts beside it'));

  const [read] = await Promise.allSettled([pipeline(Readable.fromWeb(body), form, { signal: abort.signal })]);
  if (read.status === 'rejected') abort.abort();
  const [written] = await Promise.allSettled([state.written]);
  if (state.error) throw state.error;
  if (written.status === 'rejected' && isDiskError(written.reason)) throw written.reason;
  if (written.status === 'rejected' || read.status === 'rejected')
    throw invalid({ file: 'is incomplete, or not well-formed multipart/form-data' });
  if (!written.value) throw invalid({ file: 'is required: a part named file, with a file name' });
  return written.value;
}

async function write(stream: Readable, path: string, signal: AbortSignal): Promise<Omit<Written, 'name'>> {
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
  if (!name.isWellFormed()) return 'must have a name in well-formed Unicode';
  return controlCharacters.test(name) ? 'must have a name without control characters' : undefined;
}

function isDiskError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}
