import type { Brand } from './brand.ts';

/**
 * An address in lower case, as settings, the ledger and the index keep it: two equal addresses are equal texts. EIP-55
 * checksums stand on the wire alone, in answers.
 */
export type LowerAddress = Brand<`0x${string}`, 'LowerAddress'>;

/** An address in lower case. The text must be an address already: `0x` and 40 hexadecimal digits. */
export function lowerAddress(address: string): LowerAddress {
  return address.toLowerCase() as LowerAddress;
}
