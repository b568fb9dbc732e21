import { getAddress } from 'viem';
import type { Iban } from '../ledger/customers/ibans.ts';

/** An IBAN as answers and events show it, with a checksummed address (docs/api.md, IBANs). */
export function ibanBody({ address, ...rest }: Iban) {
  return { ...rest, address: getAddress(address) };
}
