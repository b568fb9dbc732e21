import type { recallOf } from './iso20022/recalls/camt-056.ts';

/** A bank asks for the money of a payment back that it sent (ISO 20022 camt.056). */
export type BankRecall = ReturnType<typeof recallOf>;

/** A bank or another party of a recall, as far as it is named. */
export type RecallParty = BankRecall['assigner'];

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
