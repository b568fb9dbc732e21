import { accountName, accountOf } from './account.ts';
import type { Account } from './account.ts';
import { elementAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { readEntry, statusOf } from './entry.ts';
import { createReferenceBook } from './credit-references.ts';
import type { ReferenceBook } from './credit-references.ts';
import { refusal } from '../xml/bank-file-error.ts';
import type { Place } from '../xml/bank-file-error.ts';
import type { StatementItem } from './statement-item.ts';
import { createTotals } from './totals.ts';
import type { FilePart } from '../xml/splitter.ts';

type StatementPart = Exclude<FilePart, { kind: 'message' }>;

/** One `Stmt` or `Ntfctn` while its parts arrive. */
interface OpenStatement {
  headers: Map<string, Element>;
  totals: ReturnType<typeof createTotals>;
  account?: Account;
  references?: ReferenceBook;
}

/** The page of a statement that was read last, to go on counting where it ended. */
interface LastPage {
  key: string;
  page: number;
  references: ReferenceBook;
}

/** Turns the parts of a file into items. Keeps the header of the statement at hand, and no entry. */
export function createStatementReader() {
  let group: Element | undefined;
  let open: OpenStatement = newStatement();
  let last: LastPage | undefined;
  let entries = 0;

  function* entryItems(entry: Element): Generator<StatementItem> {
    const account = (open.account ??= statementAccount(open.headers.get('Acct'), entry));
    const references = (open.references ??= referencesOf(account));
    entries += 1;
    open.totals.add(entry, statusOf(entry) === 'BOOK');
    yield* readEntry(entry, { account, references, number: entries });
  }

  /**
   * Equal payments are counted within a statement. Its pages may follow each other in one file: a next page goes on
   * counting, while the same page once more is a repetition and counts anew.
   */
  function referencesOf(account: Account): ReferenceBook {
    const key = JSON.stringify([accountName(account), textAt(open.headers.get('Id'))]);
    const page = Number(textAt(pagination(), 'PgNb') ?? 1);
    const goesOn = last?.key === key && page > last.page;
    const references = goesOn && last ? last.references : createReferenceBook(accountName(account));
    last = { key, page, references };
    return references;
  }

  function pagination(): Element | undefined {
    return open.headers.get('StmtPgntn') ?? open.headers.get('NtfctnPgntn') ?? elementAt(group, 'MsgPgntn');
  }

  function endStatement(place: Place): void {
    // Each page repeats the totals of the whole statement, which one page cannot be measured by.
    const pages = [open.headers.get('StmtPgntn'), open.headers.get('NtfctnPgntn'), elementAt(group, 'MsgPgntn')];
    const isWhole = pages.every((page) => page === undefined || isOnlyPage(page));
    if (isWhole) open.totals.check(open.headers.get('TxsSummry'), place);
  }

  return {
    *take(part: StatementPart): Generator<StatementItem> {
      if (part.kind === 'group') group = part.header;
      else if (part.kind === 'statement-begin') open = newStatement();
      else if (part.kind === 'header') open.headers.set(part.element.name, part.element);
      else if (part.kind === 'entry') yield* entryItems(part.element);
      else endStatement(part.place);
    },
  };
}

function newStatement(): OpenStatement {
  return { headers: new Map(), totals: createTotals() };
}

function isOnlyPage(page: Element): boolean {
  return Number(textAt(page, 'PgNb')) === 1 && ['true', '1'].includes(textAt(page, 'LastPgInd') ?? '');
}

/** `Acct`, which every version puts before the entries: it scopes their references. */
function statementAccount(element: Element | undefined, entry: Element): Account {
  const account = accountOf(element);
  if (account !== undefined) return account;
  const remedy = 'Every statement names its account (Acct/Id) before its entries: ask the bank for a file that follows the schema.';
  throw refusal('statement_account_missing', 'The account of the statement is missing', remedy, { line: entry.line });
}
