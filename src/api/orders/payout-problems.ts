import type { PaymentProblem } from '../../bank/payment-problem.ts';
import { paymentProblems } from '../../bank/payment-rules.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { PostalAddress } from '../../platform/settings/postal-address.ts';
import { defaultMemo, type Settings } from '../../platform/settings.ts';

/** The fields of an order to a bank account that its payment is made from. */
interface Payout {
  currency: Currency;
  amount: MinorUnits;
  iban: string;
  details: Partial<Record<'firstName' | 'lastName' | 'companyName' | 'name', string | undefined>> & { address?: PostalAddress | undefined };
  memo?: string | undefined;
  referenceNumber?: string | undefined;
}

/**
 * What of an order to a bank account no bank could carry, by the fields of the request. Such an order is refused before its tokens are
 * burned; the rail asks the same rules when it sends the payment.
 */
export function* payoutProblems(order: Payout, settings: Settings): Generator<[field: string, problem: string]> {
  const { currency, amount, iban, memo, referenceNumber } = order;
  const { firstName, lastName, companyName, name, address } = order.details;
  const payment = {
    kind: 'payout',
    currency,
    amount,
    creditorIban: iban,
    creditorAddress: address ?? null,
    // As the payment is made (`makePaymentsOfLegs`).
    creditorName: name ?? companyName ?? `${firstName ?? ''} ${lastName ?? ''}`,
    remittance: memo ?? defaultMemo(settings),
    structuredReference: referenceNumber ?? null,
  } as const;
  const nameField = name === undefined ? (companyName === undefined ? 'lastName' : 'companyName') : 'name';
  const fields: Partial<Record<PaymentProblem['field'], string>> = {
    currency: 'currency',
    amount: 'amount',
    creditorIban: 'counterpart.identifier.iban',
    creditorName: `counterpart.details.${nameField}`,
    remittance: 'memo',
    structuredReference: 'referenceNumber',
  };
  for (const { field, text } of paymentProblems(payment, settings))
    yield [fields[field] ?? field.replace('creditorAddress', 'counterpart.details.address'), text];
}
