import type { MinorUnits } from '../platform/money.ts';
import type { BankMoney, Party } from './credit.ts';

/** Money that left one of our accounts: one transaction of a booked debit entry, or an entry as a whole. */
export interface BookedDebit extends Omit<BankMoney, 'amount'> {
  /** Greater than zero; missing where it, or its currency, cannot be read. */
  amount?: MinorUnits;
  /** The bank's reference of the entry: the same for the entry as a whole and for its transactions. */
  entryReference?: string;
  /** The bank's own number of the transaction, or of the entry where this is all of it. */
  number?: string;
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
