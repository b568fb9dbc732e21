import { statementShapes } from '../xml/message-shapes.ts';
import { readParts } from '../xml/message-splitter.ts';
import type { StatementHead } from './statement-head.ts';
import type { StatementItem } from './statement-item.ts';
import { createStatementReader } from './statement-reader.ts';

/** How a file is read. */
interface StatementReading {
  /** The bank's, in which its days are. */
  timeZone?: string | undefined;
  /** Called with the kind of each message in the file, such as `camt.053`. */
  onMessage?: (message: string) => void;
  /** Called with the head of each statement, before its items. */
  onStatement?: (head: StatementHead) => void | Promise<void>;
}

/**
 * Reads a camt.053, camt.054 or camt.052 file (versions 02 to 14) as it streams in: bytes in any encoding, or text. Yields at least
 * one item for every entry, in the file's order, and holds one entry in memory at a time. Of an
 * intraday report (camt.052) every entry that is not booked is skipped.
 *
 * Throws a `StopError` with a `BankFileErrorCode`, possibly after items: only a file that was read to its end without an
 * error may be applied.
 */
export async function* readStatement(
  chunks: AsyncIterable<Uint8Array | string>,
  { timeZone = 'UTC', onMessage, onStatement }: StatementReading = {},
): AsyncGenerator<StatementItem> {
  const reader = createStatementReader(timeZone);
  for await (const part of readParts(chunks, statementShapes)) {
    if (part.kind === 'message') onMessage?.(part.message);
    for (const piece of reader.read(part)) {
      if (piece.kind === 'statement') await onStatement?.(piece.head);
      else yield piece;
    }
  }
}
