import type { MinorUnits } from '../platform/money.ts';
import type { Party } from './credit.ts';

/** Money that left one of our accounts: one transaction of a booked debit entry, or an entry as a whole. */
export interface BookedDebit {
  /** The exactly-once key of the debit: the same money has the same reference in whichever file it is reported, as a credit has. */
  reference: string;
  /** The bank's reference of the entry: the same for the entry as a whole and for its transactions. */
  entryReference?: string;
  /** The bank's own number of the transaction, or of the entry where this is all of it. */
  number?: string;
  /** Whether this is an entry as a whole, whose transactions are not listed or do not add up to it. */
  isSum: boolean;
  /** The id that we gave to a payment, unless it is a placeholder. */
  endToEndId?: string;
  /** The unique id of the transaction among all banks (UETR), a UUID in lower case. */
  uetr?: string;
  /** Greater than zero. */
  amount: MinorUnits;
  /** ISO 4217 in lower case. */
  currency: string;
  /** Booking date, `YYYY-MM-DD`. */
  bookedOn?: string;
  payee: Party;
  /** Unstructured remittance information, its lines joined. */
  remittance?: string;
  /** Of an entry as a whole: ids of payment files and of their instructions (`MsgId`, `PmtInfId`) that it names. */
  files: string[];
  /** What the bank says when it takes a credit back: a reversal, or the return of a payment that we received. */
  takesBack?: string;
  /** Why it is not certain that the money has left. */
  doubt?: string;
  /** Of an entry as a whole: how many transactions it says it has. */
  transactions?: number | undefined;
}

/** An entry that left one of our accounts, and whose amount cannot be read. */
export interface UnreadableDebit extends Pick<BookedDebit, 'reference' | 'currency' | 'payee' | 'bookedOn' | 'remittance' | 'takesBack'> {
  /** What the bank wrote; empty where it wrote nothing. */
  amountText: string;
}
