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

/** Addresses that a text names at most. */
const mostNamed = 10;

/** Addresses for a person to recognise: the ends of each, and how many more there are. It tells nobody apart who has chosen an address with the same ends. */
export function shortAddresses(addresses: readonly LowerAddress[]): string {
  const named = addresses.slice(0, mostNamed).map((address) => `${address.slice(0, 6)}…${address.slice(-4)}`);
  return [...named, ...(addresses.length > mostNamed ? [`and ${addresses.length - mostNamed} more`] : [])].join(', ');
}
