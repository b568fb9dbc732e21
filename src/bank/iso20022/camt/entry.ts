import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, isTrueAt, textAt } from '../xml/element.ts';
import { dateAt } from './booking-date.ts';
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
  /** `BookgDt` or, when the bank gives none, `ValDt`: `YYYY-MM-DD`. */
  bookedOn: string | undefined;
  /** `RvslInd`: the entry takes back an earlier entry of the other direction. */
  isReversal: boolean;
  /** `NtryDtls/TxDtls`. */
  transactions: Element[];
}

/** Parses an entry. `number` is its number in the file, from 1; `timeZone` is the bank's. */
export function parseEntry(element: Element, { number, timeZone }: { number: number; timeZone: string }): Entry {
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
    bookedOn: dateAt(element, elementAt(element, 'BookgDt') === undefined ? 'ValDt' : 'BookgDt', timeZone),
    isReversal: isTrueAt(element, 'RvslInd'),
    transactions,
  };
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
