import type { Selectable } from 'kysely';
import type { MinorUnits } from '../../platform/money.ts';
import type { CreditState } from '../../schema/states.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** Money that arrived or left, as one document reports it: a transaction of an entry, or an entry as a whole. Null is what the bank does not say. */
export interface ReportedLine extends Pick<
  Selectable<LedgerTables['bankReports']>,
  'account' | 'currency' | 'amount' | 'bookedOn' | 'charges' | 'number' | 'isSum' | 'uetr' | 'reference' | 'entryReference'
> {
  /** Unique among all lines, and the same for each reading of the ledger. */
  id: string;
  document: ReportDocument;
  entry: ReportEntry;
  place: ReportPlace;
  /** Whether the money left. The amounts are greater than zero then, too. */
  isDebit: boolean;
  /** All that the bank says of it, for an order that does not depend on the order of files. */
  content: string;
  /** The customer's account; null where the bank names none, or the master account. */
  iban: string | null;
  /** An IBAN or a domestic number. Of a debit, that of who was paid. */
  payerAccount: string | null;
  /** Both in the form of `comparableText`. */
  payerName: string | null;
  endToEndId: string | null;
  /** Of the payment of ours that its EndToEndId may name. */
  payment: string | null;
  /** Of the payment file of ours that the payment is in, or that a debit as a whole names. */
  file: string | null;
  /** The debit that books this payment, as an operator has said. */
  bookedBy: string | null;
  /** Why the reader found that it cannot become an order: the code, and the sentence. */
  reason: string | null;
  unmatched: string | null;
  /** Whether the bank says that an entry as a whole has several transactions. */
  isBatch: boolean;
  /** Whether the reader found a doubt, so that it cannot become an order as it stands. */
  isDoubtful: boolean;
  /** Whether the bank says that it is a payment of ours that came back or, of a debit, that it takes a credit back. */
  isReturn: boolean;
  credit: CreditOfLine | null;
}

/** Where a file reports an entry: counted over the file, from 1, and the line at which it begins. */
export interface ReportPlace {
  entry: number;
  line: number;
}

/** A statement, notification or intraday report, or a page of one, as it stands in a file. */
export interface ReportDocument extends Pick<Selectable<LedgerTables['bankDocuments']>, 'id' | 'page' | 'fromOn' | 'closedOn'> {
  /** What it is: {@link statementKind}, or another kind, in each of which a bank lists a booking once. */
  kind: string;
  /** The bank's id of it, and when the bank made it: both are the same where it is sent again. */
  name: string;
  createdAt: string | null;
  /** By currency. */
  balances: BookedBalances;
  /** Those of the statements of its day, where there are several. */
  balancesOfDay: readonly BookedBalances[];
  /** Its rows among the bank's statements. */
  statements: string[];
}

type BookedBalances = Readonly<Record<string, Balances>>;

/** Booked balances in a currency, in minor units as text; null where a statement gives none. */
export type Balances = Readonly<Record<'opening' | 'closing', string | null>>;

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
  /** What its document says that banks have kept of it, or will, in minor units. */
  charges: MinorUnits | null;
  /** Whether what its document lists of it comes to its total. */
  isComplete: boolean;
}

/** The credit or debit that a line is. */
export interface CreditOfLine {
  reference: string;
  /** What has become of it: `open` while it waits for an operator, `spent` when it is an order, a payment, returned, explained or ended otherwise, `replaced` by its parts. */
  state: 'open' | 'spent' | 'replaced';
  /** The same of a credit, in full. */
  became: CreditState;
  amount: MinorUnits | null;
  /** The customer's account to which it was issued, or would be; null where none is known. */
  iban: string | null;
  /** The code of why it waits. */
  reason: string | null;
  entryReference: string | null;
  /** Whether it was made of this line: a credit stays with that. */
  isFirst: boolean;
  /** Whether an operator has said that the line is this money. */
  isPinned: boolean;
  /** Of a credit. */
  isAwaited: boolean | null;
  /** Whether an operator has said that the bank has not booked it. */
  isNotBooked: boolean;
}
