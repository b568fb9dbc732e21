import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, isTrueAt, textAt } from '../xml/element.ts';
import { dateAt, dateOfTime } from './booking-date.ts';
import { type Decimal, parseDecimal } from './decimal.ts';
import type { SourceEntry } from './statement-item.ts';
import { wholeNumberAt, withinLargest } from './whole-number.ts';

/** Statuses besides `BOOK` (ExternalEntryStatus1Code): pending, information only, in the future. */
export const unbookedStatuses: ReadonlySet<string> = new Set(['PDNG', 'INFO', 'FUTR']);

/** An entry (`Ntry`) as the bank wrote it. */
export interface Entry {
  element: Element;
  source: SourceEntry;
  status: string | undefined;
  /** `CRDT` or `DBIT`. */
  direction: string | undefined;
  /** `undefined` when the bank's text is not an amount. */
  amount: Decimal | undefined;
  /** ISO 4217 in upper case; empty when missing. */
  currency: string;
  /** `YYYY-MM-DD`. */
  bookedOn: string | undefined;
  /** `RvslInd`: the entry takes back an earlier entry of the other direction. */
  isReversal: boolean;
  /** `NtryDtls/TxDtls`. */
  transactions: Element[];
}

/** Where an entry stands. */
interface EntryPlace {
  /** In the file, from 1. */
  number: number;
  /** The only day of the statement, where it has one. */
  day: string | undefined;
  /** The bank's. */
  timeZone: string;
}

/** Parses an entry. */
export function parseEntry(element: Element, { number, day, timeZone }: EntryPlace): Entry {
  const transactions = elementsAt(element, 'NtryDtls', 'TxDtls');
  return {
    element,
    source: withoutUndefined({
      number,
      line: element.line,
      transactionCount: transactions.length,
      bankNumber: realReference(textAt(element, 'AcctSvcrRef')),
      name: realReference(textAt(element, 'NtryRef')),
      batchCount: batchCountOf(element),
    }),
    // A plain text in version 02, `Cd` or `Prtry` from 08.
    status: textAt(element, 'Sts', 'Cd') ?? textAt(element, 'Sts', 'Prtry') ?? textAt(element, 'Sts'),
    direction: textAt(element, 'CdtDbtInd'),
    amount: parseDecimal(textAt(element, 'Amt')),
    currency: elementAt(element, 'Amt')?.currency?.trim().toUpperCase() ?? '',
    bookedOn: bookingDay(element, transactions, { day, timeZone }),
    isReversal: isTrueAt(element, 'RvslInd'),
    transactions,
  };
}

/**
 * The day of `BookgDt`, else of `ValDt`. Where the bank gives neither, the only day of the statement, else the day on which all transactions were
 * settled between banks. A day that does not exist stays unknown.
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
