import type { Currency, MinorUnits } from '../platform/money.ts';
import type { PostalAddress } from '../platform/settings/postal-address.ts';

/** A party of a payment, as far as the bank names it. */
export interface Party {
  name?: string;
  /** Valid, without spaces, upper case. */
  iban?: string;
  /** Of an account without a valid IBAN: a domestic number, a proxy, an IBAN with wrong check digits. Upper case, without spaces. */
  accountNumber?: string;
  /** Of the bank that keeps an account without a valid IBAN. */
  bic?: string;
  /** The clearing system of that bank, such as `USABA`, and its number there (ISO 20022 `ClrSysMmbId`). */
  clearingSystem?: string;
  clearingCode?: string;
  /** Postal address on one line. */
  address?: string;
  /** The same in parts, where the bank names town and country: what a payment back needs. */
  postalAddress?: PostalAddress;
}

/** What the bank says of money that arrived on one of our accounts or left it. */
export interface BankMoney {
  /**
   * The exactly-once key at the border from the bank to orders: the same money has the same reference in whichever file
   * it is reported. The account servicer reference, else a hash of the entry's facts; see `CreditReferences`.
   */
  reference: string;
  /** Greater than zero. */
  amount: MinorUnits;
  /** ISO 4217 in lower case. */
  currency: string;
  /** Unstructured remittance information, its lines joined. */
  remittance?: string;
  /** The payer's id of the payment, unless it is a placeholder. */
  endToEndId?: string;
  /** The payment's id that every bank on the way repeats (UETR, a UUID), in lower case. */
  uetr?: string;
  /** Booking day, `YYYY-MM-DD`. */
  bookedOn?: string;
}

/** Money that arrived: one transaction of a booked credit entry. */
export interface BankCredit extends BankMoney {
  /** The credited account, without spaces, upper case. */
  iban: string;
  currency: Currency;
  payer: Party;
  /** Structured creditor reference (ISO 11649 or national). */
  structuredReference?: string;
}
