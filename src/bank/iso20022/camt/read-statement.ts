import { malformed, bankFileError, type FilePosition } from '../xml/bank-file-error.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';
import { type FilePart, readParts } from '../xml/message-parts.ts';
import { intradayReport, statementShapes } from '../xml/message-shapes.ts';
import { type StatementReferences, statementReferences } from './credit-references.ts';
import { parseEntry, type Entry, unbookedStatuses, type StatementEntry } from './entry.ts';
import { readEntry } from './read-entry.ts';
import { isLastPage, isOnlyPage, readHead, type StatementHead, type StatementBalances } from './statement-head.ts';
import { type Decimal, formatDecimal, minorUnit, minorUnitsOf, parseDecimal, wholeNumberAt } from './numbers.ts';

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
 * Reads a camt.053, camt.054 or camt.052 file (versions 02 to 14) as it streams in: bytes in any encoding, or text. Yields every
 * entry, in the file's order, and holds one in memory at a time. Of an
 * intraday report (camt.052) every entry that is not booked is skipped.
 *
 * Throws a `StopError` with a `BankFileErrorCode`, possibly after items: only a file that was read to its end without an
 * error may be applied.
 */
export async function* readStatement(
  chunks: AsyncIterable<Uint8Array | string>,
  { timeZone = 'UTC', onMessage, onStatement }: StatementReading = {},
): AsyncGenerator<StatementEntry> {
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
      yield readEntry(entry, { account: head.account, ...references, isIntraday: part.message === intradayReport });
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

/**
 * Compares the entries of a statement with its totals (`TxsSummry`), to notice a file that lost entries on its way.
 *
 * The standard leaves open whether pending entries count, and banks count entries or transactions: a total is accepted
 * when any of these readings makes it. No reading can where entries have several currencies, as `Sum` has none.
 */
export function createTotalsCheck() {
  const tallies = new Map<string, Tally>();
  const tallied = () => [...tallies.values()];

  return {
    add({ element, status, direction, amount, currency, transactions: { length } }: Entry): void {
      const isUnbooked = status !== undefined && unbookedStatuses.has(status);
      const isReadable = direction !== undefined && minorUnitsOf(amount) !== undefined;
      const of = { currency, direction, isBooked: status === 'BOOK', isUnbooked, isReadable };
      const key = JSON.stringify(of);
      const { entries, transactions, sum } = tallies.get(key) ?? { entries: 0, transactions: 0, sum: 0n };
      const counted = length || (wholeNumberAt(element, 'NtryDtls', 'Btch', 'NbOfTxs') ?? 1);
      tallies.set(key, { ...of, entries: entries + 1, transactions: transactions + counted, sum: sum + (amount ?? 0n) });
    },
    /** Compares the booked entries with the balances of a whole statement. Throws `statement_totals_differ`. */
    checkBalances(balances: readonly StatementBalances[], position: FilePosition): void {
      for (const { currency, opening, closing } of balances) {
        if (opening === undefined || closing === undefined) continue;
        const moved = (closing - opening) * minorUnit;
        const mayBeBooked = tallied().filter((tally) => !tally.isUnbooked && ['', currency].includes(tally.currency.toLowerCase()));
        if (mayBeBooked.some(({ isReadable }) => !isReadable)) continue;
        const all = mayBeBooked.filter((tally) => tally.currency !== '');
        const booked = signedSum(all.filter(({ isBooked }) => isBooked));
        // What has a status that says neither is held: any of it may be booked.
        const doubtful = all.filter(({ isBooked }) => !isBooked);
        const [credits, debits] = (['CRDT', 'DBIT'] as const).map((side) =>
          signedSum(doubtful.filter(({ direction }) => direction === side)),
        );
        if (booked + (debits ?? 0n) <= moved && moved <= booked + (credits ?? 0n)) continue;
        throw totalsDiffer('the movement from OPBD to CLBD', formatDecimal(moved), `entries of ${formatDecimal(booked)}`, position);
      }
    },
    /** To be called after the last entry of a whole statement. Throws `statement_totals_differ`. */
    check(summary: Element | undefined, position: FilePosition): void {
      // Only credits matter here, so the total of all entries is used when credits have none of their own.
      const name = elementAt(summary, 'TtlCdtNtries') === undefined ? 'TtlNtries' : 'TtlCdtNtries';
      const total = elementAt(summary, name);
      const all = tallied().filter(({ direction }) => direction === 'CRDT' || (direction === 'DBIT' && name === 'TtlNtries'));
      const possible = [all, all.filter(({ isBooked }) => isBooked)];
      const count = textAt(total, 'NbOfNtries');
      const counts = possible.flatMap((some) => [countOf(some, 'entries'), countOf(some, 'transactions')]);
      if (count !== undefined && !counts.includes(Number(count)))
        throw totalsDiffer(`${name}/NbOfNtries`, count, `${counts[0]} entries`, position);
      const sum = textAt(total, 'Sum');
      if (sum === undefined || new Set(tallied().map(({ currency }) => currency)).size > 1) return;
      const sums = possible.flatMap((some) => [some.reduce((gross, tally) => gross + tally.sum, 0n), absolute(signedSum(some))]);
      if (!sums.some((actual) => actual === parseDecimal(sum)))
        throw totalsDiffer(`${name}/Sum`, sum, `a sum of ${formatDecimal(sums[0] ?? 0n)}`, position);
    },
  };
}

/** How many entries that are alike in this there are, and what they come to. */
interface Tally extends Pick<Entry, 'currency' | 'direction'> {
  isBooked: boolean;
  isUnbooked: boolean;
  /** Whether direction and amount are known. */
  isReadable: boolean;
  entries: number;
  transactions: number;
  sum: Decimal;
}

function countOf(tallies: readonly Tally[], what: 'entries' | 'transactions'): number {
  return tallies.reduce((sum, tally) => sum + tally[what], 0);
}

/** Credits less debits. */
function signedSum(tallies: readonly Tally[]): Decimal {
  return tallies.reduce((sum, tally) => (tally.direction === 'CRDT' ? sum + tally.sum : sum - tally.sum), 0n);
}

function absolute(sum: Decimal): Decimal {
  return sum < 0n ? -sum : sum;
}

function totalsDiffer(name: string, announced: string, actual: string, position: FilePosition): Error {
  const remedy = 'Entries are missing or damaged: fetch the statement from the bank again, or ask it for a corrected one.';
  return bankFileError('statement_totals_differ', `The statement announces ${announced} as ${name} and holds ${actual}`, remedy, position);
}
