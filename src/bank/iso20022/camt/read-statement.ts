import { statementShapes } from '../xml/message-shapes.ts';
import type { StatementItem } from './statement-item.ts';
import { createStatementReader } from './statement-reader.ts';
import { createSplitter, pieces } from '../xml/splitter.ts';
import type { FilePart } from '../xml/splitter.ts';
import { decodeXml } from '../xml/encoding.ts';

/**
 * Reads a camt.053 or camt.054 file (versions 02 to 13) as it streams in: bytes in any encoding, or text. Gives every
 * entry at least one item, in the file's order, holding one entry in memory at a time.
 *
 * Throws a `StopError` when the file as a whole cannot be applied, possibly after items: only a file that was read
 * to its end without an error may be applied. `onMessage` hears the kind of each message in the file, `camt.053` or
 * `camt.054`, before its items.
 */
export async function* readStatement(
  chunks: AsyncIterable<Uint8Array | string>,
  onMessage?: (message: string) => void,
): AsyncGenerator<StatementItem> {
  const parts: FilePart[] = [];
  const splitter = createSplitter((part) => parts.push(part), statementShapes);
  const reader = createStatementReader();
  function* itemsOf(part: FilePart): Generator<StatementItem> {
    if (part.kind === 'message') onMessage?.(part.message);
    else yield* reader.take(part);
  }
  for await (const text of decodeXml(chunks)) {
    for (const piece of pieces(text)) {
      splitter.write(piece);
      for (const part of parts.splice(0)) yield* itemsOf(part);
    }
  }
  splitter.end();
  for (const part of parts.splice(0)) yield* itemsOf(part);
}
