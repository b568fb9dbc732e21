import { pbkdf2Sync, scrypt as nativeScrypt } from 'node:crypto';
import { promisify } from 'node:util';

export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

const native = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(nativeScrypt);

/** Memory that scrypt takes, in bytes. */
export function scryptMemory({ n, r, p }: ScryptCost): number {
  return 128 * r * (n + p + 2);
}

/**
 * Scrypt (RFC 7914). OpenSSL holds to the RFC's n < 2^(16r), which some old keystores do not (the definition's own test vector
 * has n = 2^18 with r = 1): those are derived here, in a few seconds.
 */
export async function scrypt(password: string, salt: Buffer, length: number, cost: ScryptCost): Promise<Buffer> {
  const { n, r, p } = cost;
  if (n < 2 ** (16 * r)) return native(password, salt, length, { N: n, r, p, maxmem: scryptMemory(cost) + 1024 });
  const size = 128 * r;
  const blocks = pbkdf2Sync(password, salt, 1, p * size, 'sha256');
  for (let block = 0; block < p; block += 1) {
    const words = new Uint32Array(Uint8Array.from(blocks.subarray(block * size, (block + 1) * size)).buffer);
    Buffer.from(mixMemory(words, n).buffer).copy(blocks, block * size);
  }
  return pbkdf2Sync(password, blocks, 1, length, 'sha256');
}

/** ROMix: fills memory with n states, and then visits n of them in an order that only the states tell. */
function mixMemory(block: Uint32Array, n: number): Uint32Array {
  const size = block.length;
  const memory = new Uint32Array(size * n);
  let state = block;
  let spare: Uint32Array = new Uint32Array(size);
  const next = () => {
    mixBlock(state, spare);
    [state, spare] = [spare, state];
  };
  for (let index = 0; index < n; index += 1) {
    memory.set(state, index * size);
    next();
  }
  for (let index = 0; index < n; index += 1) {
    const from = ((state[size - 16] as number) & (n - 1)) * size;
    for (let word = 0; word < size; word += 1) (state[word] as number) ^= memory[from + word] as number;
    next();
  }
  return state;
}

/** BlockMix: runs Salsa20/8 through all parts of `from`, and writes the even ones into the first half of `into`, the odd into the second. */
function mixBlock(from: Uint32Array, into: Uint32Array): void {
  const parts = from.length / 16;
  const x = from.slice(-16);
  for (let part = 0; part < parts; part += 1) {
    for (let word = 0; word < 16; word += 1) (x[word] as number) ^= from[part * 16 + word] as number;
    salsa(x);
    into.set(x, ((part >> 1) + (part % 2) * (parts / 2)) * 16);
  }
}

const working = new Int32Array(16);

/** Salsa20 with 8 rounds, in place: quarter rounds over the columns, then over the rows. */
function salsa(x: Uint32Array): void {
  working.set(x);
  for (let round = 0; round < 8; round += 2) {
    quarter(0, 4, 8, 12);
    quarter(5, 9, 13, 1);
    quarter(10, 14, 2, 6);
    quarter(15, 3, 7, 11);
    quarter(0, 1, 2, 3);
    quarter(5, 6, 7, 4);
    quarter(10, 11, 8, 9);
    quarter(15, 12, 13, 14);
  }
  for (let word = 0; word < 16; word += 1) x[word] = (x[word] as number) + (working[word] as number);
}

function quarter(first: number, second: number, third: number, fourth: number): void {
  let a = working[first] as number;
  let b = working[second] as number;
  let c = working[third] as number;
  let d = working[fourth] as number;
  b ^= rotate(a + d, 7);
  c ^= rotate(b + a, 9);
  d ^= rotate(c + b, 13);
  a ^= rotate(d + c, 18);
  working[first] = a;
  working[second] = b;
  working[third] = c;
  working[fourth] = d;
}

function rotate(sum: number, bits: number): number {
  return (sum << bits) | (sum >>> (32 - bits));
}
