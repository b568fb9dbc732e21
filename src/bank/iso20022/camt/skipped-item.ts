import type { BookedDebit } from '../../booked-debit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, textAt } from '../xml/element.ts';
import { decimalToMinorUnits, formatDecimal } from './decimal.ts';
import type { Entry } from './entry.ts';
import type { SkippedReason, StatementItem } from './statement-item.ts';

type Skipped = Extract<StatementItem, { kind: 'skipped' }>;

/** The item of an entry, or of one transaction of it, that is not arriving money. */
export function skippedItem(
  { source, amount, currency }: Pick<Entry, 'source' | 'amount' | 'currency'>,
  reason: SkippedReason,
  detail: string,
  transaction?: Element,
): Skipped {
  const minorUnits = amount === undefined ? undefined : decimalToMinorUnits(amount);
  const endToEndId = realReference(textAt(transaction, 'Refs', 'EndToEndId'));
  const amountText = amount === undefined ? '' : ` (${formatDecimal(amount)} ${currency})`;
  return {
    kind: 'skipped',
    entry: source,
    skipped: {
      reason,
      detail: `${detail}${amountText}`,
      ...(typeof minorUnits === 'bigint' && { amount: minorUnits }),
      ...(currency && { currency: currency.toLowerCase() }),
      ...(endToEndId && { endToEndId }),
    },
  };
}

/** Adds the debits of a skipped entry to it, for the book. */
export function withDebits(item: Skipped, debits: BookedDebit[]): Skipped {
  return debits.length === 0 ? item : { ...item, skipped: { ...item.skipped, debits } };
}
