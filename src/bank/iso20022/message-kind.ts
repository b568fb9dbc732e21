import { StopError } from '../../platform/errors.ts';
import { piecesOf } from './xml/bounded-parser.ts';
import { decodeXml } from './xml/encoding.ts';
import { recallShapes, statementShapes, statusShapes } from './xml/message-shapes.ts';
import { createMessageSplitter } from './xml/message-splitter.ts';

/** A file with the kind of its first message, to be read from its beginning. */
export interface IdentifiedFile {
  /** `camt.053`, `camt.054`, `camt.052`, `pain.002` or `camt.056`; undefined when the file does not begin with one of them. */
  message: string | undefined;
  chunks: AsyncIterable<Uint8Array | string>;
}

const shapes = new Map([...statementShapes, ...statusShapes, ...recallShapes]);

/** Bytes or characters that may precede the message's root element: a comment and the header of an envelope. */
const maxPreamble = 64 * 1024;

/**
 * Finds out which message a file holds from its beginning, and returns its chunks complete. Leaves it to the message's
 * reader to report what is wrong with the content. Throws what `chunks` throws, such as for a file that does not exist.
 */
export async function identifyMessage(chunks: AsyncIterable<Uint8Array | string>): Promise<IdentifiedFile> {
  const source = chunks[Symbol.asyncIterator]();
  const read: (Uint8Array | string)[] = [];
  let sourceError: unknown;
  async function* beginning() {
    let length = 0;
    while (length < maxPreamble) {
      const next = await source.next().catch((error: unknown) => {
        sourceError = error;
        throw error;
      });
      if (next.done === true) return;
      read.push(next.value);
      length += next.value.length;
      yield next.value;
    }
  }
  const message = await firstMessage(beginning());
  if (sourceError !== undefined) throw sourceError;
  return { message, chunks: resume(read, source) };
}

async function firstMessage(chunks: AsyncIterable<Uint8Array | string>): Promise<string | undefined> {
  let message: string | undefined;
  const splitter = createMessageSplitter((part) => {
    if (part.kind === 'message') message ??= part.message;
  }, shapes);
  try {
    for await (const text of decodeXml(chunks)) {
      for (const piece of piecesOf(text)) {
        splitter.write(piece);
        if (message !== undefined) return message;
      }
    }
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
  }
  return message;
}

async function* resume(read: (Uint8Array | string)[], source: AsyncIterator<Uint8Array | string>) {
  try {
    yield* read.splice(0);
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
