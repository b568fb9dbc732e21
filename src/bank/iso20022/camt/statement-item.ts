import type { BankCredit, Party } from '../../credit.ts';

/** Why money that arrived cannot become an order as it stands. Stable codes: the table of unmatched credits keeps them. */
export type UnmatchedReason =
  | 'amount_malformed'
  | 'amount_too_precise'
  | 'amount_too_large'
  | 'currency_missing'
  | 'currency_unsupported'
  | 'status_unknown'
  | 'direction_unknown'
  | 'sum_differs'
  | 'transaction_amount_missing'
  | 'batch_without_details'
  | 'details_in_other_message'
  | 'payment_returned'
  | 'debit_reversed'
  | 'iban_missing'
  | 'iban_invalid'
  | 'account_not_iban';

/** Why an entry, or one transaction of it, is no money that arrived. */
export type SkippedReason = 'debit' | 'credit_reversed' | 'not_booked' | 'amount_zero';

/** A payment of ours that came back: what the bank says of it, and the references of the original payment. */
export interface ReturnedPayment {
  /** `RtrInf/Rsn`: an ISO return code such as `AC04`, or the bank's own. */
  reason?: string;
  /** `RtrInf/AddtlInf`, its lines joined. */
  text?: string;
  /** `Refs` of a returned transaction repeat those of the original payment. */
  originalEndToEndId?: string;
  originalInstructionId?: string;
  originalTransactionId?: string;
  originalPaymentInformationId?: string;
  originalMessageId?: string;
}

/** Money that arrived and cannot become an order as it stands: the facts of a credit as far as they are known, and why. */
export interface UnmatchedCredit extends Partial<Omit<BankCredit, 'currency' | 'payer' | 'reference'>> {
  /** As in `BankCredit`: the same money gives the same reference in whichever file it is reported. */
  reference: string;
  reason: UnmatchedReason;
  /** The reason as a sentence for an operator, with the values that contradict. */
  detail: string;
  payer: Party;
  /** ISO 4217 in lower case; any currency. */
  currency?: string;
  /** As the bank wrote it: there even where `amount` cannot be told. */
  amountText?: string;
  /** Present when the money is a payment of ours coming back, whatever `reason` says. */
  returned?: ReturnedPayment;
}

/** An entry or transaction that is no money arriving, told so that an import can account for every entry. */
export interface SkippedEntry {
  reason: SkippedReason;
  detail: string;
  amount?: bigint;
  currency?: string;
  endToEndId?: string;
  /** Of a debit: the booked payments in it whose EndToEndId and amount are told. */
  debits?: BookedDebit[];
}

/** Money that left, as the bank books it. */
export interface BookedDebit {
  endToEndId: string;
  /** Minor units. */
  amount: bigint;
  /** ISO 4217 in lower case. */
  currency: string;
}

/** Where in the file an item comes from. */
export interface EntryPlace {
  /** Counted over the file, from 1. */
  number: number;
  /** Line at which the entry begins. */
  line: number;
  /** Transactions the entry lists; 0 when it has no details. */
  transactions: number;
  /**
   * The entry's own account servicer reference, scoped as `BankCredit.reference` is. A bank may report an entry once as
   * a sum and once with its transactions: both carry this.
   */
  reference?: string;
}

/** One fact of a statement. Every entry gives at least one item. */
export type StatementItem =
  | { kind: 'credit'; entry: EntryPlace; credit: BankCredit }
  | { kind: 'unmatched'; entry: EntryPlace; unmatched: UnmatchedCredit }
  | { kind: 'skipped'; entry: EntryPlace; skipped: SkippedEntry };
