import { malformed, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, isTrueAt, textAt } from '../xml/element.ts';
import { intradayReport, statementShapes } from '../xml/message-shapes.ts';
import { type FilePart, readParts } from '../xml/message-parts.ts';
import { type Account, accountId, accountOf } from './account.ts';
import { createCreditReferences, type CreditReferences } from './credit-references.ts';
import { parseEntry } from './entry.ts';
import { readEntry } from './read-entry.ts';
import { mostBalances, type StatementHead, statementHead } from './statement-head.ts';
import type { StatementItem } from './statement-item.ts';
import { createTotalsCheck } from './totals.ts';
import { wholeNumberAt } from './whole-number.ts';

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

/** One `Stmt`, `Ntfctn` or `Rpt` while its parts arrive. */
interface OpenStatement {
  headers: Map<string, Element>;
  balances: Element[];
  isBegun: boolean;
  head?: StatementHead;
  totals: ReturnType<typeof createTotalsCheck>;
  account?: Account;
  references?: StatementReferences;
}

/** The message whose balances are those of its entries. */
const statement = 'camt.053';

/** The references of a statement's credits and debits: a fee may have the number of the credit it belongs to. */
interface StatementReferences {
  references: CreditReferences;
  debitReferences: CreditReferences;
}

/** The page of a statement that was read last: the next page continues its references. */
interface LastPage {
  statement: string;
  page: number;
  references: StatementReferences;
}

/** What a file yields: the head of each statement before its items. */
type StatementPiece = StatementItem | { kind: 'statement'; head: StatementHead };

/**
 * Turns the parts of camt.053, camt.054 and camt.052 messages of a bank in a time zone into items. Keeps the headers of the current statement, and no entry.
 * Throws `statement_malformed` and `statement_totals_differ`.
 */
function createStatementReader(timeZone: string) {
  let message = '';
  let groupHeader: Element | undefined;
  let open: OpenStatement = newStatement();
  let lastPage: LastPage | undefined;
  let entries = 0;

  function* readItems(element: Element): Generator<StatementPiece> {
    const account = (open.account ??= statementAccount(open.headers.get('Acct'), element));
    yield* begin(account);
    const references = (open.references ??= referencesFor(account));
    entries += 1;
    const entry = parseEntry(element, { number: entries, day: open.head?.day, timeZone });
    open.totals.add(entry);
    yield* readEntry(entry, { account, ...references, isIntraday: message === intradayReport });
  }

  /** The head of the statement, once: before its first entry or, when it has none, at its end. */
  function* begin(account: Account | undefined): Generator<StatementPiece> {
    if (open.isBegun || account === undefined) return;
    open.isBegun = true;
    open.head = statementHead(message, account, open.headers, { balances: open.balances, page: pageOf(), timeZone });
    yield { kind: 'statement', head: open.head };
  }

  function addHeader(element: Element): void {
    if (element.name !== 'Bal') open.headers.set(element.name, element);
    else if (open.balances.length < mostBalances) open.balances.push(element);
  }

  /**
   * Equal payments are counted within a statement, whose pages may follow each other in one file. A later page continues
   * the count; the same page again is a repetition and starts anew.
   */
  function referencesFor(account: Account): StatementReferences {
    const statement = JSON.stringify([accountId(account), textAt(open.headers.get('Id'))]);
    const page = pageOf();
    const isNextPage = lastPage?.statement === statement && page > lastPage.page;
    const references = isNextPage && lastPage ? lastPage.references : newReferences(accountId(account));
    lastPage = { statement, page, references };
    return references;
  }

  function pageOf(): number {
    return wholeNumberAt(paginations().find(isPresent), 'PgNb') ?? 1;
  }

  function paginations(): (Element | undefined)[] {
    const names = ['StmtPgntn', 'NtfctnPgntn', 'RptPgntn'];
    return [...names.map((name) => open.headers.get(name)), elementAt(groupHeader, 'MsgPgntn')];
  }

  function* endStatement(position: FilePosition): Generator<StatementPiece> {
    yield* begin(accountOf(open.headers.get('Acct')));
    // A page carries the totals of the whole statement, which its own entries do not make.
    if (!paginations().filter(isPresent).every(isOnlyPage)) return;
    open.totals.check(open.headers.get('TxsSummry'), position);
    if (open.head?.message === statement) open.totals.checkBalances(open.head.balances, position);
  }

  return {
    *read(part: FilePart): Generator<StatementPiece> {
      if (part.kind === 'message') message = part.message;
      else if (part.kind === 'message-header') groupHeader = part.element;
      else if (part.kind === 'section-begin') open = newStatement();
      else if (part.kind === 'section-header') addHeader(part.element);
      else if (part.kind === 'entry') yield* readItems(part.element);
      else yield* endStatement(part.position);
    },
  };
}

function newStatement(): OpenStatement {
  return { headers: new Map(), balances: [], isBegun: false, totals: createTotalsCheck() };
}

function newReferences(account: string): StatementReferences {
  return { references: createCreditReferences(account), debitReferences: createCreditReferences(account) };
}

function isPresent(element: Element | undefined): element is Element {
  return element !== undefined;
}

/** `Pagination`. */
function isOnlyPage(pagination: Element): boolean {
  return wholeNumberAt(pagination, 'PgNb') === 1 && isTrueAt(pagination, 'LastPgInd');
}

/** `Acct`, which every version has before the entries: their references begin with it. */
function statementAccount(element: Element | undefined, entry: Element): Account {
  const account = accountOf(element);
  if (account !== undefined) return account;
  const remedy = 'Every statement names its account (Acct/Id) before its entries: ask the bank for a file that follows the schema.';
  throw malformed('The account of the statement is missing', remedy, { line: entry.line });
}
