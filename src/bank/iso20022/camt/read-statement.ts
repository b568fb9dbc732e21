import { malformed } from '../xml/bank-file-error.ts';
import { type Element, elementAt } from '../xml/element.ts';
import { type FilePart, readParts } from '../xml/message-parts.ts';
import { intradayReport, statementShapes } from '../xml/message-shapes.ts';
import { type StatementReferences, statementReferences } from './credit-references.ts';
import { parseEntry } from './entry.ts';
import { readEntry } from './read-entry.ts';
import { isLastPage, isOnlyPage, readHead, type StatementHead } from './statement-head.ts';
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
  const pageOf = createPages();
  let statement: Partial<OpenStatement> = {};
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
      const { head } = statement;
      const { references, totals } = (statement.page ??= pageOf(head));
      number += 1;
      const entry = parseEntry(part.element, { number, day: head.day, timeZone });
      totals.add(entry);
      yield* readEntry(entry, { account: head.account, ...references, isIntraday: part.message === intradayReport });
    } else if (part.kind === 'section-end') {
      statement.head ??= await begin(part);
      const { head } = statement;
      const page = head === undefined ? undefined : (statement.page ?? pageOf(head));
      statement = {};
      // The summary of a page may be its own, or that of the whole statement.
      if (isOnlyPage(part)) page?.totals.check(elementAt(part.sectionHeaders, 'TxsSummry'), part.position);
      if (part.message === statementMessage && isLastPage(part) && page?.isWhole === true)
        page.totals.checkBalances(page.balances, part.position);
    }
  }
}

/** One `Stmt`, `Ntfctn` or `Rpt` while its entries arrive. */
interface OpenStatement {
  head: StatementHead | undefined;
  page: Page;
}

/** A page, with what counts for its statement. */
interface Page {
  head: StatementHead;
  references: StatementReferences;
  totals: ReturnType<typeof createTotalsCheck>;
  /** Those with which its first page opens and this one closes. */
  balances: StatementHead['balances'];
  /** Whether the file has every page before it. */
  isWhole: boolean;
}

/**
 * Equal payments and totals are counted within a statement, whose pages may follow each other in one file. A later page continues
 * the count; the same page again is a repetition and starts anew.
 */
function createPages(): (head: StatementHead) => Page {
  let last: Page | undefined;
  return (head) => {
    const { page: number = 1, accountId, balances } = head;
    const before =
      last?.head.accountId === accountId && last.head.number === head.number && (last.head.page ?? 1) < number ? last : undefined;
    const isNext = before !== undefined && before.isWhole && (before.head.page ?? 1) === number - 1;
    last = {
      head,
      references: before?.references ?? statementReferences(accountId),
      totals: isNext ? before.totals : createTotalsCheck(),
      balances: isNext ? balances.map((balance) => openedBy(before.balances, balance)) : balances,
      isWhole: isNext || number === 1,
    };
    return last;
  };
}

type Balances = StatementHead['balances'][number];

function openedBy(before: readonly Balances[], balance: Balances): Balances {
  const first = before.find(({ currency }) => currency === balance.currency);
  return first?.opening === undefined ? balance : Object.assign({}, balance, { opening: first.opening });
}

/** `Acct`, which every version has before the entries: their references begin with it. */
function missingAccount({ line }: Element): never {
  const remedy = 'Every statement names its account (Acct/Id) before its entries: ask the bank for a file that follows the schema.';
  throw malformed('The account of the statement is missing', remedy, { line });
}
