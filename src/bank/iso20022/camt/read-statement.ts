import { malformed } from '../xml/bank-file-error.ts';
import { type Element, elementAt } from '../xml/element.ts';
import { type FilePart, readParts } from '../xml/message-parts.ts';
import { intradayReport, statementShapes } from '../xml/message-shapes.ts';
import { type StatementReferences, statementReferences } from './credit-references.ts';
import { parseEntry } from './entry.ts';
import { readEntry } from './read-entry.ts';
import { isOnlyPage, readHead, type StatementHead } from './statement-head.ts';
import type { StatementItem } from './statement-item.ts';
import { createTotalsCheck } from './totals.ts';

/** How a file is read. */
interface StatementReading {
  /** The bank's, in which its days are. */
  timeZone?: string | undefined;
  /** Called with the kind of each message in the file, such as `camt.053`. */
  onMessage?: (message: string) => void;
  /** Called with the head of each statement, before its items. */
  onStatement?: (head: StatementHead) => void | Promise<void>;
}

/** The message whose balances are those of its entries. */
const statementMessage = 'camt.053';

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
  const referencesOf = createPagedReferences();
  let statement = newStatement();
  let number = 0;

  /** Reads the head of a statement, once: before its first entry or, when it has none, at its end. */
  async function begin(part: FilePart): Promise<StatementHead | undefined> {
    const head = readHead(part, timeZone);
    if (head !== undefined) await onStatement?.(head);
    return head;
  }

  for await (const part of readParts(chunks, statementShapes)) {
    if (part.kind === 'message') onMessage?.(part.message);
    else if (part.kind === 'entry') {
      statement.head ??= (await begin(part)) ?? missingAccount(part.element);
      const { head, totals } = statement;
      statement.references ??= referencesOf(head);
      number += 1;
      const entry = parseEntry(part.element, { number, day: head.day, timeZone });
      totals.add(entry);
      yield* readEntry(entry, { account: head.account, ...statement.references, isIntraday: part.message === intradayReport });
    } else if (part.kind === 'section-end') {
      statement.head ??= await begin(part);
      const { head, totals } = statement;
      statement = newStatement();
      // A page carries the totals of the whole statement, which its own entries do not make.
      if (!isOnlyPage(part)) continue;
      totals.check(elementAt(part.sectionHeaders, 'TxsSummry'), part.position);
      if (part.message === statementMessage) totals.checkBalances(head?.balances ?? [], part.position);
    }
  }
}

/** One `Stmt`, `Ntfctn` or `Rpt` while its entries arrive. */
interface OpenStatement {
  head?: StatementHead | undefined;
  references?: StatementReferences;
  totals: ReturnType<typeof createTotalsCheck>;
}

function newStatement(): OpenStatement {
  return { totals: createTotalsCheck() };
}

/**
 * Equal payments are counted within a statement, whose pages may follow each other in one file. A later page continues
 * the count; the same page again is a repetition and starts anew.
 */
function createPagedReferences(): (head: StatementHead) => StatementReferences {
  let last: { head: StatementHead; references: StatementReferences } | undefined;
  return (head) => {
    const isSame = last?.head.accountId === head.accountId && last.head.number === head.number;
    const references =
      last !== undefined && isSame && (head.page ?? 1) > (last.head.page ?? 1) ? last.references : statementReferences(head.accountId);
    last = { head, references };
    return references;
  };
}

/** `Acct`, which every version has before the entries: their references begin with it. */
function missingAccount({ line }: Element): never {
  const remedy = 'Every statement names its account (Acct/Id) before its entries: ask the bank for a file that follows the schema.';
  throw malformed('The account of the statement is missing', remedy, { line });
}
