import type { ColumnType } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Default, Json, NullableTime, Time } from './columns.ts';

/**
 * The state of a credit; `replaced` by the transactions it consists of, which a later report lists; `settled` when it is neither an order nor
 * a return; `repeated` when it is another report of a recorded credit; `reversed` when the bank took it back before it was an order or a return.
 */
export type CreditState = 'matched' | 'unmatched' | 'returned' | 'replaced' | 'settled' | 'repeated' | 'reversed';
/** The state of a payment; `returned` when its money came back after the bank had carried it out. `refused` and `returned` are final. */
export type PaymentState = 'ready' | 'sent' | 'accepted' | 'refused' | 'returned';
/**
 * What a settled credit was: the operator's own money, the counterpart of an unexplained debit, a return of ours that came back, or money that
 * makes a claim good.
 */
export type SettledAs = 'own' | 'difference' | 'return' | 'claim';
/** The state of a claim; `pending` until it is known whether the money went on, `void` when it did not. */
export type ClaimState = 'pending' | 'open' | 'void' | 'recovered' | 'written_off';

/** Tables of what the bank books and is told to do. */
export interface BankTables {
  credits: {
    reference: string;
    iban: string | null;
    currency: string | null;
    amount: MinorUnits | null;
    payer: Json<Party>;
    remittance: string | null;
    structuredReference: string | null;
    endToEndId: string | null;
    bookedOn: ColumnType<string | null, string | null | undefined, string | null>;
    source: string;
    state: CreditState;
    orderId: string | null;
    reason: string | null;
    railReason: string | null;
    entryReference: string | null;
    entryAmount: ColumnType<string | null, string | null | undefined, string | null>;
    isSum: Default<boolean>;
    uetr: string | null;
    message: string | null;
    repeats: string | null;
    facts: ColumnType<unknown, string | null | undefined, string | null>;
    receivedAt: Time;
    returnedAt: NullableTime;
    /** On which the bank booked it: an IBAN or another id, or `sandbox`. */
    bankAccount: string;
    /** The reference that it had before it was replaced. */
    replacedFrom: string | null;
    settledAs: Default<SettledAs | null>;
    settledAt: NullableTime;
    /** What the operator adds to a payment that came back; negative for what remains of it. */
    addedByOperator: Default<MinorUnits | null>;
    /** Whether an operator has to return it by hand, and no debit of the bank is known as that yet. */
    awaitsDebit: Default<boolean>;
  };
  bankStatements: {
    id: Default<string>;
    account: string;
    currency: string;
    number: string;
    sequence: bigint | null;
    fromOn: ColumnType<string | null, string | null, string | null>;
    closedOn: ColumnType<string, string, string>;
    opening: MinorUnits | null;
    closing: MinorUnits | null;
    opened: Default<MinorUnits>;
    gap: string | null;
    gapAcceptedAt: NullableTime;
    gapAcceptedBy: string | null;
    gapReason: string | null;
    /** Null within its import. */
    file: Buffer | null;
    importedAt: Time;
  };
  bankBookings: {
    entry: string;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: ColumnType<string, string, never>;
    source: string;
    statement: string | null;
  };
  bankDebits: {
    reference: string;
    entryReference: string | null;
    replacedFrom: string | null;
    listedAs: string | null;
    isSum: Default<boolean>;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: ColumnType<string, string, never>;
    payee: ColumnType<Party, string, never>;
    remittance: string | null;
    endToEndId: string | null;
    uetr: string | null;
    source: string;
    state: 'payment' | 'reversal' | 'unexplained' | 'explained' | 'replaced';
    payment: string | null;
    paymentFile: string | null;
    problem: string | null;
    explainedAs: 'fee' | 'interest' | 'own' | 'payment' | 'return-of' | 'reversal-of' | 'undone-by' | 'repeat-of' | null;
    returnedCredit: string | null;
    /** What the bank says of a debit that takes a credit back. */
    takesBack: string | null;
    /** How often an operator undid that it took a credit back; which one the last time, why, and who. */
    reversalsUndone: Default<number>;
    lastUndoneCredit: string | null;
    lastUndoReason: string | null;
    lastUndoneBy: string | null;
    /** The credit by which the bank undid it. */
    undoneBy: string | null;
    /** The debits that it is a further report of: together, or of a part of the only one. */
    repeats: string[] | null;
    explanation: string | null;
    explainedBy: string | null;
    explainedAt: NullableTime;
    receivedAt: Time;
  };
  reversals: {
    /** The debit's reference, with a number behind it where the debit takes several credits back. */
    reference: string;
    debit: string;
    credit: string;
    amount: MinorUnits;
    /** Whether it takes back less than the credit. */
    isPart: Default<boolean>;
    /** The entry whose transactions replace the credit or reduce it, or the credit that it repeats: of that money a part is taken back. */
    countsWith: string | null;
  };
  claims: {
    /** The reversal by which the bank took the credit, or a part of it, back. */
    reversal: string;
    credit: string;
    currency: string;
    amount: MinorUnits;
    recovered: Default<MinorUnits>;
    state: ClaimState;
    reason: string | null;
    createdAt: Time;
    endedAt: NullableTime;
  };
  bankFiles: { hash: Buffer; name: string; message: string; report: Json<unknown>; importedAt: Time };
  paymentFiles: { id: Default<string>; name: string; content: string; writtenAt: NullableTime; createdAt: Time };
  payments: {
    id: Default<string>;
    kind: 'payout' | 'return';
    leg: string | null;
    credit: string | null;
    currency: Currency;
    amount: MinorUnits;
    creditorName: string;
    creditorIban: string;
    creditorCountry: string | null;
    remittance: string | null;
    structuredReference: string | null;
    state: Default<PaymentState>;
    file: string | null;
    bankStatus: string | null;
    reason: string | null;
    createdAt: Time;
    sentAt: NullableTime;
    decidedAt: NullableTime;
    bankStatusAt: NullableTime;
    /** On which the bank has booked it, and when; null until it has. */
    bankAccount: string | null;
    bookedOn: ColumnType<string | null, string | null | undefined, string | null>;
    /** The credit by which the money of a `returned` payment came back. */
    cameBackBy: Default<string | null>;
    returnedAt: NullableTime;
  };
  unknownPaymentStatuses: {
    payment: string;
    verdict: 'executed' | 'refused' | 'open';
    code: string;
    reason: string;
    reportedAt: Time;
    setAside: Default<string | null>;
    setAsideBy: Default<string | null>;
  };
}
