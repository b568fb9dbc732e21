import { missingAddressParts } from '../../bank/payment-rules.ts';
import type { WaitingCredit } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { StopError } from '../../platform/errors.ts';
import type { PostalAddress } from '../../platform/settings/postal-address.ts';
import type { Settings } from '../../platform/settings.ts';

/** Where a credit is returned to: to its payer, where nothing else is named. */
interface ReturnedTo {
  reference: string;
  toIban?: string | undefined;
  toAddress?: PostalAddress | undefined;
}

/** Throws `not_possible` when the payment that returns a credit would lack parts of an address that the bank needs. */
export function requireAddress(
  { payer, currency }: Pick<WaitingCredit, 'currency' | 'payer'>,
  { reference, toIban, toAddress }: ReturnedTo,
  settings: Settings,
): void {
  const address = toAddress ?? (toIban === undefined ? payer.postalAddress : undefined) ?? null;
  const missing = toIban === undefined && payer.iban === undefined ? [] : missingAddressParts(address, currency ?? '', settings);
  if (missing.length === 0) return;
  const message = `${reference} cannot be returned without the payee's ${missing.join(', ')}, which BANK_ADDRESS_PARTS says that payments of ${currency?.toUpperCase()} need: name the address (--to-address '{"city":"London","country":"GB"}')`;
  throw new StopError({ code: 'not_possible', message });
}

/** An address in a line. */
export function addressText({ street, buildingNumber, lines = [], postalCode, city, countryState, country }: PostalAddress): string {
  return [...lines, street, buildingNumber, postalCode, city, countryState, country].filter((part) => part !== undefined).join(', ');
}
