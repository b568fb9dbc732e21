import { statementShapes } from '../xml/message-shapes.ts';
import { readParts } from '../xml/message-splitter.ts';
import type { StatementHead } from './statement-head.ts';
import type { StatementItem } from './statement-item.ts';
import { createStatementReader } from './statement-reader.ts';

/**
 * Reads a camt.053, camt.054 or camt.052 file (versions 02 to 14) as it streams in: bytes in any encoding, or text. Yields at least
 * one item for every entry, in the file's order, and holds one entry in memory at a time. `onMessage` is called with the
 * kind of each message in the file, such as `camt.053`, and `onStatement` with the head of each statement, before its items. Of an
 * intraday report (camt.052) every entry that is not booked is skipped.
 *
 * Throws a `StopError` with a `BankFileErrorCode`, possibly after items: only a file that was read to its end without an
 * error may be applied.
 */
export async function* readStatement(
  chunks: AsyncIterable<Uint8Array | string>,
  onMessage?: (message: string) => void,
  onStatement?: (head: StatementHead) => void | Promise<void>,
): AsyncGenerator<StatementItem> {
  const reader = createStatementReader();
  for await (const part of readParts(chunks, statementShapes)) {
    if (part.kind === 'message') onMessage?.(part.message);
    for (const piece of reader.read(part)) {
      if (piece.kind === 'statement') await onStatement?.(piece.head);
      else yield piece;
    }
  }
}
