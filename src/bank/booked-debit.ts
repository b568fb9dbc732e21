import type { MinorUnits } from '../platform/money.ts';
/** Money that left one of our accounts: one transaction of a booked debit entry. */
export interface BookedDebit {
  endToEndId: string;
  amount: MinorUnits;
  /** ISO 4217 in lower case. */
  currency: string;
}
