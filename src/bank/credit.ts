import type { MinorUnits } from '../platform/money.ts';
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
  /** The bank's own number of the transaction, or of the entry where this is all of it. */
  number?: string;
  /** Greater than zero; missing where it cannot be read. */
  amount?: MinorUnits;
  /** ISO 4217 in lower case; any currency. */
  currency?: string;
  /** Unstructured remittance information, its lines joined. */
  remittance?: string;
  /** The payer's id of the payment, unless it is a placeholder. */
  endToEndId?: string;
  /** The payment's id that every bank on the way repeats (UETR, a UUID), in lower case. */
  uetr?: string;
  /** Booking day, `YYYY-MM-DD`. */
  bookedOn?: string;
}

/** Money that arrived: one transaction of a booked credit entry, or the entry as a whole. */
export interface BankCredit extends BankMoney {
  /** The credited account, without spaces, upper case. */
  iban?: string;
  payer: Party;
  /** What banks have kept of it, or will, as the message says: another message may give the amount before or after that. Less than zero where they paid more. */
  charges?: MinorUnits;
  /** Structured creditor reference (ISO 11649 or national). */
  structuredReference?: string;
  /** Why it cannot become an order as it stands, as a clause for an operator, and the stable code of that. */
  unmatched?: string;
  railReason?: string;
  /** What the bank reported beyond these fields, for the operator: the amount as it wrote it, and which payment of ours came back. */
  facts?: Record<string, unknown>;
}

/** Money that left one of our accounts: one transaction of a booked debit entry, or an entry as a whole. */
export interface BookedDebit extends BankMoney {
  /** Empty where the bank gives none. */
  currency: string;
  /** The bank's reference of the entry: the same for the entry as a whole and for its transactions. */
  entryReference?: string;
  /** Whether this is an entry as a whole, whose transactions are not listed or do not add up to it. */
  isSum: boolean;
  payee: Party;
  /** Of an entry as a whole: ids of payment files and of their instructions (`MsgId`, `PmtInfId`) that it names. */
  files: string[];
  /** What the bank says when it takes a credit back: a reversal, or the return of a payment that we received. */
  takesBack?: string;
  /** Why it is not certain that the money has left, or how much. */
  doubt?: string;
  /** Of an entry as a whole: how many transactions it says it has. */
  transactions?: number | undefined;
}
