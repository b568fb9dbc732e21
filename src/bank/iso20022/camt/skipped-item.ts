import type { BookedDebit } from '../../booked-debit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, textAt } from '../xml/element.ts';
import { type Decimal, decimalToMinorUnits, formatDecimal } from './decimal.ts';
import type { Entry } from './entry.ts';
import type { SkippedReason, StatementItem } from './statement-item.ts';
import { transactionAmounts } from './transaction-amounts.ts';

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

/** Adds the debits of a skipped entry to it, so that the payments they book can be recognised. */
export function withDebits(item: Skipped, debits: BookedDebit[]): Skipped {
  return debits.length === 0 ? item : { ...item, skipped: { ...item.skipped, debits } };
}

/** The payments of a debit entry, if the amounts of its transactions add up to the entry. */
export function bookedDebits({ element, amount, currency, transactions }: Entry): BookedDebit[] {
  if (amount === undefined || transactions.length === 0) return [];
  const split = transactionAmounts(element, { amount, currency, direction: 'DBIT' }, transactions);
  if (!split.ok) return [];
  return split.shares.flatMap((share, position) =>
    share.direction === 'DBIT' ? bookedDebit(transactions[position], share.amount, currency) : [],
  );
}

/** The payment of a debit transaction: none without an EndToEndId, which is how payments are recognised. */
export function bookedDebit(transaction: Element | undefined, amount: Decimal, currency: string): BookedDebit[] {
  const minorUnits = decimalToMinorUnits(amount);
  const endToEndId = realReference(textAt(transaction, 'Refs', 'EndToEndId'));
  if (typeof minorUnits !== 'bigint' || endToEndId === undefined) return [];
  return [{ endToEndId, amount: minorUnits, currency: currency.toLowerCase() }];
}
