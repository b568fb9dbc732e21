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
  let spare = new Uint32Array(size);
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

/** The quarter rounds of Salsa20: four over the columns, four over the rows. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

const working = new Int32Array(16);

/** Salsa20 with 8 rounds, in place. */
function salsa(x: Uint32Array): void {
  const w = working;
  w.set(x);
  for (let round = 0; round < 8; round += 2) {
    for (const [a, b, c, d] of quarters) {
      w[b] = (w[b] as number) ^ rotate((w[a] as number) + (w[d] as number), 7);
      w[c] = (w[c] as number) ^ rotate((w[b] as number) + (w[a] as number), 9);
      w[d] = (w[d] as number) ^ rotate((w[c] as number) + (w[b] as number), 13);
      w[a] = (w[a] as number) ^ rotate((w[d] as number) + (w[c] as number), 18);
    }
  }
  for (let word = 0; word < 16; word += 1) x[word] = (x[word] as number) + (w[word] as number);
}

function rotate(sum: number, bits: number): number {
  return (sum << bits) | (sum >>> (32 - bits));
}
