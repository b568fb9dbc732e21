// Apart from the other readers of options: to load viem takes longer than most commands, which read neither.
import { InvalidArgumentError } from 'commander';
import { getAddress, type Hex, isAddress, isHash } from 'viem';

/** Reads an address. Returns it with its checksum. */
export function parseAddress(text: string): `0x${string}` {
  if (isAddress(text)) return getAddress(text);
  throw new InvalidArgumentError('It must be an address: 0x and 40 hexadecimal digits, with its right checksum or in lower case.');
}

/** Reads a hash of 32 bytes. */
export function parseHash(text: string): Hex {
  if (isHash(text)) return text.toLowerCase() as Hex;
  throw new InvalidArgumentError('It must be a hash: 0x and 64 hexadecimal digits.');
}
