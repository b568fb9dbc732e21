import { StopError } from '../../platform/errors.ts';
import { statementShapes, statusShapes } from './xml/message-shapes.ts';
import { decodeXml } from './xml/encoding.ts';
import { createSplitter, pieces } from './xml/splitter.ts';

/** A file of which the kind is known, to be read from its beginning. */
export interface KnownFile {
  /** Such as `camt.053` or `pain.002`; undefined when its beginning names none that is read here. */
  message: string | undefined;
  chunks: AsyncIterable<Uint8Array | string>;
}

const shapes = new Map([...statementShapes, ...statusShapes]);

/** The message's root element comes at once, or behind a comment and an envelope's header. */
const lookAhead = 64 * 1024;

/** Looks at the beginning of a file for the kind of its first message. What is wrong with it is for its reader to say. */
export async function messageKind(chunks: AsyncIterable<Uint8Array | string>): Promise<KnownFile> {
  const source = chunks[Symbol.asyncIterator]();
  const seen: (Uint8Array | string)[] = [];
  let failure: unknown;
  async function* beginning() {
    let length = 0;
    while (length < lookAhead) {
      const next = await source.next().catch((error: unknown) => {
        failure = error;
        throw error;
      });
      if (next.done === true) return;
      seen.push(next.value);
      length += next.value.length;
      yield next.value;
    }
  }
  const message = await firstMessage(beginning());
  // The source's own failure, such as a file that is not there, is no matter of its content.
  if (failure !== undefined) throw failure;
  return { message, chunks: whole(seen, source) };
}

async function firstMessage(chunks: AsyncIterable<Uint8Array | string>): Promise<string | undefined> {
  let message: string | undefined;
  const splitter = createSplitter((part) => {
    if (part.kind === 'message') message ??= part.message;
  }, shapes);
  try {
    for await (const text of decodeXml(chunks)) {
      for (const piece of pieces(text)) {
        splitter.write(piece);
        if (message !== undefined) return message;
      }
    }
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
  }
  return message;
}

async function* whole(seen: (Uint8Array | string)[], source: AsyncIterator<Uint8Array | string>) {
  try {
    yield* seen.splice(0);
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
