import type { MinorUnits } from '../../../platform/money.ts';
import type { BookedDebit } from '../../booked-debit.ts';
import type { BankCredit, Party } from '../../credit.ts';
import type { SourceEntry } from './entry.ts';
import type { ReturnedPayment } from './returned-payment.ts';

/** One fact of a statement. `number` is the bank's own of the money, or of its entry where that is all of it. */
export type StatementItem =
  | { kind: 'credit'; entry: SourceEntry; credit: BankCredit; number?: string }
  | { kind: 'unmatched'; entry: SourceEntry; unmatched: UnmatchedCredit; number?: string }
  | { kind: 'skipped'; entry: SourceEntry; skipped: SkippedItem };

/** Money that arrived but cannot become an order as it stands: why, and the facts of a credit as far as they are known. */
export interface UnmatchedCredit extends Problem, Partial<Omit<BankCredit, 'currency' | 'payer' | 'reference'>> {
  /** As in `BankCredit`. */
  reference: string;
  payer: Party;
  /** ISO 4217 in lower case; any currency. */
  currency?: string;
  /** The amount as the bank wrote it, for when `amount` cannot be determined. */
  amountText?: string;
  /** Present when the money is a payment of ours coming back, whatever `reason` says. */
  returned?: ReturnedPayment;
}

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
