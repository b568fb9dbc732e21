import type { ReportedCredit } from '../../ledger/bank/reported-credits.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { sumOf } from '../reported-entry.ts';

/** The transactions of an entry without those that repeat others of them. */
export function countingOf(details: readonly ReportedCredit[]): ReportedCredit[] {
  const references = new Set(details.map(({ reference }) => reference));
  return details.filter(({ state, repeats }) => state !== 'repeated' || !references.has(repeats ?? ''));
}

/** The reference of the credit that counts a report's money. */
export function countsUnder({ reference, state, repeats }: ReportedCredit): string {
  return state === 'repeated' ? (repeats ?? reference) : reference;
}

/** What the transactions of an entry come to. */
export function sumCounting(details: readonly ReportedCredit[]): MinorUnits | undefined {
  return sumOf(countingOf(details).map(({ amount }) => amount));
}

/** Whether nothing is left of a sum that its transactions replaced. */
export function isFull(sum: ReportedCredit | undefined, counted: MinorUnits | undefined): boolean {
  return sum?.state === 'replaced' && sum.entryAmount !== null && (counted === undefined || counted >= sum.entryAmount);
}

/** Whether a sum became an order, was returned or ended otherwise: its transactions are in it. */
export function isSpent({ state }: ReportedCredit): boolean {
  return state !== 'unmatched' && state !== 'replaced';
}

/** The recorded sum of an entry, found by either of its references; a replaced one only when there is no other. */
export function sumIn(stored: readonly ReportedCredit[], entryReference: string | undefined, reference = entryReference) {
  const sums = stored.filter((known) => known.isSum && (known.entryReference === (entryReference ?? '') || known.reference === reference));
  return sums.find(({ state }) => state !== 'replaced') ?? sums[0];
}

/** Whether two values agree, as far as both are known. */
export function sameOrUnknown(stored: string | null, reported: string | undefined): boolean {
  return stored === null || reported === undefined || stored === reported;
}
