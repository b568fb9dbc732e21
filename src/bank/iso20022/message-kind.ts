import { StopError } from '../../platform/errors.ts';
import type { Chunks } from './xml/encoding.ts';
import { readParts } from './xml/message-parts.ts';
import { recallShapes, statementShapes, statusShapes } from './xml/message-shapes.ts';

const shapes = [...statementShapes, ...statusShapes, ...recallShapes];

/** Bytes or characters that may precede the message's root element: a comment and the header of an envelope. */
const maxPreamble = 64 * 1024;

/**
 * Finds out which message a file holds first (`camt.053`, `camt.054`, `camt.052`, `pain.002` or `camt.056`; undefined for any other
 * beginning), and returns its chunks complete. Leaves it to the message's reader to report what is wrong with the content. Throws what
 * `chunks` throws, such as for a file that does not exist.
 */
export async function identifyMessage(chunks: AsyncIterable<Uint8Array | string>) {
  const source = chunks[Symbol.asyncIterator]();
  const beginning: (Uint8Array | string)[] = [];
  for (let length = 0; length < maxPreamble;) {
    const next = await source.next();
    if (next.done === true) break;
    beginning.push(next.value);
    length += next.value.length;
  }
  return { message: await firstMessage(beginning), chunks: resume(beginning, source) };
}

async function firstMessage(chunks: Chunks): Promise<string | undefined> {
  try {
    for await (const part of readParts(chunks, shapes)) if (part.kind === 'message') return part.message;
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
  }
  return undefined;
}

async function* resume(read: (Uint8Array | string)[], source: AsyncIterator<Uint8Array | string>) {
  try {
    yield* read.splice(0);
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
