import type { Currency, MinorUnits } from '../platform/money.ts';
import type { AddressPart, PostalAddress } from '../platform/settings/postal-address.ts';

/** What of a payment decides whether it can be carried to an account at a bank. */
export interface PaymentFacts {
  /** The texts of a return come from the bank, and are cut to what fits. */
  kind: 'payout' | 'return';
  /** ISO 4217 in lower case. */
  currency: string;
  amount: MinorUnits;
  creditorName: string;
  creditorIban: string;
  creditorAddress: PostalAddress | null;
  /** Unstructured remittance information. */
  remittance: string | null;
  /** Structured creditor reference (ISO 11649 or national). */
  structuredReference: string | null;
}

/** Why a payment cannot be carried. */
export interface PaymentProblem {
  field: Exclude<keyof PaymentFacts, 'kind' | 'creditorAddress'> | `creditorAddress.${keyof PostalAddress}`;
  /** The status reason code with which a bank would refuse it (ISO 20022, ExternalStatusReason1Code). */
  code: string;
  /** A clause about the field, such as `is not a valid IBAN`. */
  text: string;
}

/** The most that the operator's bank carries in one payment, where that is less than what the messages can hold. */
export type PaymentLimits = Partial<Record<Currency, MinorUnits>>;

/** What the operator's bank asks of payments, by currency. */
export interface BankTerms {
  paymentLimits: PaymentLimits;
  /** Parts of the addresses of payee and payer that it needs. */
  addressParts: Partial<Record<Currency, readonly AddressPart[]>>;
}
