import type { Currency } from '../platform/money.ts';

/** A party of a payment, as far as the bank names it. */
export interface Party {
  name?: string;
  iban?: string;
  /** Unstructured postal address on one line. */
  address?: string;
}

/** Money that arrived on an account of ours: one transaction of a booked entry of a statement, or of a notification. */
export interface BankCredit {
  /**
   * The exactly-once key of the border bank -> order: the same money gives the same reference in whichever file it
   * is reported (account servicer reference, else a hash of the entry's facts).
   */
  reference: string;
  /** The account credited, without spaces, upper case. */
  iban: string;
  /** Minor units, greater than zero. */
  amount: bigint;
  currency: Currency;
  payer: Party;
  /** Unstructured remittance information, its lines joined. */
  remittance?: string;
  /** Structured creditor reference (ISO 11649 or national). */
  structuredReference?: string;
  /** The payer's end-to-end id, when given. */
  endToEndId?: string;
  /** Date of booking, `YYYY-MM-DD`. */
  bookedOn?: string;
}
