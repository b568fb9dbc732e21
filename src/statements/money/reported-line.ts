import type { MinorUnits } from '../../platform/money.ts';

/** A statement, notification or intraday report, or a page of one, as it stands in a file. */
export interface ReportDocument {
  id: string;
  /** What it is: {@link statementKind}, or another kind, in each of which a bank lists a booking once. */
  kind: string;
  /** The bank's id of it, and when the bank made it: both are the same where it is sent again. */
  name: string;
  createdAt: string | null;
  /** Null for what is not in pages. */
  page: number | null;
  /** Of a statement: its first day, where it says it, and its last day, `YYYY-MM-DD`. */
  fromOn: string | null;
  closedOn: string | null;
  balances: BookedBalances;
  /** Those of the statements of its day, where there are several. */
  balancesOfDay: readonly BookedBalances[];
}

/** Booked balances by currency, in minor units; null where a statement gives none. */
export type BookedBalances = Readonly<Record<string, { opening: bigint | null; closing: bigint | null }>>;

/** The kind of a statement of the master account: it lists what is booked, each booking once. */
export const statementKind = 'statement';

/** An entry of a document. */
export interface ReportEntry {
  /** Unique among all documents. */
  id: string;
  /** The bank's number of it. */
  number: string | null;
  /** `NtryRef`, which many banks count anew in each message. */
  name: string | null;
  /** What it comes to, in minor units; null where that is not known. */
  total: MinorUnits | null;
  /** How many transactions it has, listed or not; null where that is not known. */
  count: number | null;
  /** Whether what its document lists of it comes to its total. */
  isComplete: boolean;
}

/** The credit or debit that was made of a line. */
export interface CreditOfLine {
  reference: string;
  /** What has become of it: `open` while it waits for an operator, `spent` when it is an order, a payment, returned, explained or ended otherwise, `replaced` by its parts. */
  state: 'open' | 'spent' | 'replaced';
  /** The customer's account to which it was issued, or would be; null where none is known. */
  iban: string | null;
  /** Whether it was made of this line: a credit stays with that. */
  isFirst: boolean;
  /** Whether an operator has said that the line is this money. */
  isPinned: boolean;
}

/** Money that arrived or left, as one document reports it: a transaction of an entry, or an entry as a whole. Null is what the bank does not say. */
export interface ReportedLine {
  /** Unique among all lines, and the same for each reading of the ledger. */
  id: string;
  document: ReportDocument;
  entry: ReportEntry;
  /** The bank's number of the transaction, or of an entry that has no other. */
  number: string | null;
  /** All that the bank says of it, for an order that does not depend on the order of files. */
  content: string;
  currency: string | null;
  amount: MinorUnits | null;
  /** `YYYY-MM-DD`. */
  bookedOn: string | null;
  /** The customer's account; null where the bank names none, or the master account. */
  iban: string | null;
  /** An IBAN or a domestic number. Of a debit, that of who was paid. */
  payerAccount: string | null;
  /** Both in the form of `comparableText`. */
  payerName: string | null;
  endToEndId: string | null;
  uetr: string | null;
  /** Whether it is an entry as a whole, reported without its transactions. */
  isSum: boolean;
  /** Whether the bank says that an entry as a whole has several transactions. */
  isBatch: boolean;
  /** Whether the reader found a doubt, so that it cannot become an order as it stands. */
  isDoubtful: boolean;
  /** Whether the bank says that it is a payment of ours that came back or, of a debit, that it takes a credit back. */
  isReturn: boolean;
  credit: CreditOfLine | null;
}
