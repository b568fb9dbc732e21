import type { MinorUnits } from '../platform/money.ts';

/** A bank or another party of a recall, as far as it is named. */
export interface RecallParty {
  bic?: string;
  name?: string;
}

/** What a recall calls the payment that it is about, as the bank wrote it. */
export interface RecalledPayment {
  messageId?: string;
  messageName?: string;
  instructionId?: string;
  endToEndId?: string;
  transactionId?: string;
  clearingReference?: string;
  uetr?: string;
}

/** A bank asks for the money of a payment back that it sent (ISO 20022 camt.056). */
export interface BankRecall {
  /** The ids of the case and of the request in it. */
  caseId?: string;
  cancellationId?: string;
  assigner: RecallParty;
  assignee: RecallParty;
  creator: RecallParty;
  payment: RecalledPayment;
  /** Undefined where it cannot be read. */
  amount?: MinorUnits;
  /** ISO 4217 in lower case. */
  currency?: string;
  /** `YYYY-MM-DD`. */
  settledOn?: string;
  /** Such as `DUPL: sent twice`. */
  reason?: string;
  payerName?: string;
  payerIban?: string;
  /** The account that was credited. */
  iban?: string;
}

/** Why a recall is refused (ISO 20022, ExternalPaymentCancellationRejection1Code). */
export const recallRefusals = {
  AC04: 'the account is closed',
  AGNT: 'the bank refuses',
  AM04: 'the money is not there any more',
  ARDT: 'it was returned already',
  CUST: 'the customer refuses',
  INDM: 'an indemnity is required first',
  LEGL: 'the law forbids it',
  NARR: 'as the text says',
  NOAS: 'the customer does not answer',
  NOOR: 'the payment was never received',
  PTNA: 'it was passed on to the next bank',
  RQDA: 'the payee has to consent first',
} as const;

/** A code of {@link recallRefusals}. */
export type RecallRefusal = keyof typeof recallRefusals;
