import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { codeAt, type Element, elementAt, elementsAt, isTrueAt, textAt } from '../xml/element.ts';
import { dateAt, dateOfTime, amountOf, wholeNumberAt, withinLargest } from './numbers.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import type { BookedDebit, BankCredit } from '../../credit.ts';

/** Statuses besides `BOOK` (ExternalEntryStatus1Code): pending, information only, in the future. */
export const unbookedStatuses: ReadonlySet<string> = new Set(['PDNG', 'INFO', 'FUTR']);

/** Where an entry stands. */
interface EntryPlace {
  /** In the file, from 1. */
  number: number;
  /** The only day of the statement, where it has one. */
  day: string | undefined;
  /** The bank's. */
  timeZone: string;
}

/** An entry (`Ntry`) as the bank wrote it. */
export type Entry = ReturnType<typeof parseEntry>;

/** Parses an entry. */
export function parseEntry(element: Element, { number, day, timeZone }: EntryPlace) {
  const transactions = elementsAt(element, 'NtryDtls', 'TxDtls');
  return {
    element,
    source: sourceOf(element, number, transactions.length),
    // A plain text in version 02, a code from 08.
    status: codeAt(element, 'Sts') ?? textAt(element, 'Sts'),
    direction: directionAt(element),
    ...amountOf(elementAt(element, 'Amt')),
    /** `YYYY-MM-DD`. */
    bookedOn: bookingDay(element, transactions, { day, timeZone }),
    /** The entry takes back an earlier entry of the other direction. */
    isReversal: isTrueAt(element, 'RvslInd'),
    transactions,
  };
}

/** The entry that an item comes from. */
export type SourceEntry = ReturnType<typeof sourceOf> & {
  /**
   * The entry's own account servicer reference, in the form of `BankCredit.reference`. A bank may report an entry once
   * as a sum and once with its transactions: both have this.
   */
  reference?: string;
  /** What the message says that banks have kept of the entry by itself, or will: less than zero where they paid more. */
  charges?: MinorUnits;
};

function sourceOf(element: Element, number: number, transactionCount: number) {
  return withoutUndefined({
    /** Counted over the file, from 1. */
    number,
    /** Line at which the entry begins, from 1. */
    line: element.line,
    /** Transactions (`TxDtls`) listed in the entry; 0 when it has no details. */
    transactionCount,
    /** The entry's own account servicer reference as the bank wrote it. */
    bankNumber: realReference(textAt(element, 'AcctSvcrRef')),
    /** Many banks count it anew in each message. */
    name: realReference(textAt(element, 'NtryRef')),
    batchCount: batchCountOf(element),
  });
}

/** `CreditDebitCode`; `undefined` for anything else. */
export function directionAt(element: Element): 'CRDT' | 'DBIT' | undefined {
  const direction = textAt(element, 'CdtDbtInd');
  return direction === 'CRDT' || direction === 'DBIT' ? direction : undefined;
}

/**
 * The day of `BookgDt`, else of `ValDt`. Where the bank gives neither, the only day of the statement, else the day on which all
 * transactions were settled between banks. A day that does not exist stays unknown.
 */
function bookingDay(element: Element, transactions: Element[], { day, timeZone }: Omit<EntryPlace, 'number'>): string | undefined {
  const written = ['BookgDt', 'ValDt'].find((name) => elementAt(element, name) !== undefined);
  if (written !== undefined) return dateAt(element, written, timeZone);
  const [settled, ...others] = new Set(transactions.map((transaction) => textAt(transaction, 'RltdDts', 'IntrBkSttlmDt')));
  return day ?? (others.length === 0 ? dateOfTime(settled, timeZone) : undefined);
}

/** How many transactions an entry says it has in all of its batches, listed or not; undefined when it does not say so. */
function batchCountOf(element: Element): number | undefined {
  const counts = elementsAt(element, 'NtryDtls', 'Btch').map((batch) => wholeNumberAt(batch, 'NbOfTxs'));
  if (counts.length === 0 || counts.includes(undefined)) return undefined;
  return withinLargest(
    counts.reduce((sum: number, count) => sum + (count ?? 0), 0),
    elementsAt(element, 'NtryDtls', 'Btch', 'NbOfTxs')[0],
  );
}

/** An entry of a statement with what it holds, at least one item. */
export interface StatementEntry {
  source: SourceEntry;
  items: StatementItem[];
}

/** One fact of a statement. */
export type StatementItem = { kind: 'credit'; credit: BankCredit } | { kind: 'skipped'; skipped: SkippedItem };

/** Why money that arrived cannot become an order as it stands. The codes are stored with the unmatched credit. */
export const unmatchedReasons = [
  'amount_malformed',
  'amount_too_precise',
  'amount_too_large',
  'currency_missing',
  'currency_unsupported',
  'status_unknown',
  'direction_unknown',
  'sum_differs',
  'transaction_amount_missing',
  'batch_without_details',
  'details_in_other_message',
  'payment_returned',
  'debit_reversed',
  'iban_missing',
  'iban_invalid',
  'account_not_iban',
] as const;

/** Why money cannot be credited. */
export interface Problem {
  reason: (typeof unmatchedReasons)[number];
  /** A clause for an operator, with the values that contradict each other. */
  detail: string;
}

/** An entry, or one transaction of it, that is not arriving money. Listed so that an import accounts for every entry. */
export interface SkippedItem {
  reason: SkippedReason;
  /** The reason as a clause for an operator. */
  detail: string;
  amount?: MinorUnits;
  /** ISO 4217 in lower case. */
  currency?: string;
  endToEndId?: string;
  /** Of a booked debit: the money that left. */
  debits?: BookedDebit[];
}

/** Why it is not arriving money. `unreferenced`: an intraday report shows it, and only the statement will count. */
export type SkippedReason = 'debit' | 'credit_reversed' | 'not_booked' | 'unreferenced' | 'amount_zero';
