import { scryptAsync as portableScrypt } from '@noble/hashes/scrypt';
import { scrypt as nodeScrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Parameters of scrypt: work factor (a power of 2), block size, parallelisation. */
export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

const nativeScrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(nodeScrypt);

/** Memory that scrypt needs, in bytes. */
export function scryptMemory({ n, r, p }: ScryptCost): number {
  return 128 * r * (n + p + 2);
}

/**
 * Derives a key of `length` bytes by scrypt (RFC 7914). OpenSSL enforces the RFC's n < 2^(16r). Some old keystores break it, as the keystore
 * definition's own test vector does (n = 2^18 with r = 1): those are derived in JavaScript, which takes about a second.
 */
export async function scrypt(password: string, salt: Buffer, length: number, cost: ScryptCost): Promise<Buffer> {
  const { n, r, p } = cost;
  const maxmem = scryptMemory(cost) + 1024;
  if (n < 2 ** (16 * r)) return nativeScrypt(password, salt, length, { N: n, r, p, maxmem });
  return Buffer.from(await portableScrypt(password, salt, { N: n, r, p, dkLen: length, maxmem }));
}
