import { scryptAsync as portableScrypt } from '@noble/hashes/scrypt';
import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, randomUUID, scrypt as nodeScrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { keccak256 } from 'viem';
import { z } from 'zod';
import { StopError } from '../../platform/errors.ts';

/** Cost of a new keystore, as go-ethereum's standard: each guess of a password needs 256 MiB and about a second. */
const newCost = { n: 262_144, r: 8, p: 1 };

/** Most memory, in bytes, and most rounds that a keystore may require: a file must not exhaust the process. */
const largestMemory = 1024 ** 3;
const mostRounds = 20_000_000;

const hex = z.string().regex(/^([0-9a-fA-F]{2})+$/, 'must be hexadecimal');
const count = z.number().int().positive();
const dklen = z.number().int().min(32).max(64);

const scryptParams = z
  .object({ n: count.refine((n) => n > 1 && Number.isInteger(Math.log2(n)), 'must be a power of 2'), r: count, p: count, dklen, salt: hex })

  .refine((cost) => scryptMemory(cost) <= largestMemory && cost.n * cost.r * cost.p <= mostRounds, 'requires too much memory or time');
const pbkdf2Params = z.object({ c: count.max(mostRounds), prf: z.literal('hmac-sha256'), dklen, salt: hex });

const crypto = {
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: hex.length(32) }),
  ciphertext: hex.max(64),
  mac: hex.length(64),
};

const keystoreSchema = z.object({
  version: z.literal(3),
  /** Optional: some writers keep it secret. */
  address: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{40}$/)
    .optional(),
  crypto: z.discriminatedUnion('kdf', [
    z.object({ kdf: z.literal('scrypt'), kdfparams: scryptParams, ...crypto }),
    z.object({ kdf: z.literal('pbkdf2'), kdfparams: pbkdf2Params, ...crypto }),
  ]),
});

type Crypto = z.infer<typeof keystoreSchema>['crypto'];

const deriveByPbkdf2 = promisify(pbkdf2);

/**
 * Decrypts a keystore (Web3 Secret Storage, version 3). Returns the private key, and the address that the file names, in lower case. Throws
 * `invalid_settings`, or `wrong_keystore_password` when the MAC does not match.
 */
export async function decryptKeystore(text: string, password: string): Promise<{ key: Uint8Array; address: string | undefined }> {
  const { crypto: sealed, address } = parseKeystore(text);
  const derived = await deriveKey(sealed, password);
  const ciphertext = Buffer.from(sealed.ciphertext, 'hex');
  if (!timingSafeEqual(macOf(derived, ciphertext), Buffer.from(sealed.mac, 'hex')))
    throw new StopError({ code: 'wrong_keystore_password', message: 'The password does not open the keystore, or the file was altered' });
  const cipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), Buffer.from(sealed.cipherparams.iv, 'hex'));
  const key = Buffer.concat([cipher.update(ciphertext), cipher.final()]);
  // Some writers omit leading zeros.
  return { key: Buffer.concat([Buffer.alloc(32 - key.length), key]), address: address?.replace(/^0x/, '').toLowerCase() };
}

/** Encrypts a private key as a keystore of version 3, with scrypt at this cost. */
export async function encryptKeystore(key: Uint8Array, address: string, password: string, cost = newCost): Promise<string> {
  const kdfparams = { ...cost, dklen: 32, salt: randomBytes(32).toString('hex') };
  const derived = await deriveKey({ kdf: 'scrypt', kdfparams } as Crypto, password);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()]);
  const sealed = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams,
    mac: macOf(derived, ciphertext).toString('hex'),
  };
  return `${JSON.stringify({ version: 3, id: randomUUID(), address: address.replace(/^0x/, ''), crypto: sealed }, null, 2)}\n`;
}

function parseKeystore(text: string): z.infer<typeof keystoreSchema> {
  const parsed = keystoreSchema.safeParse(fromJson(text));
  if (parsed.success) return parsed.data;
  const fields = Object.fromEntries(parsed.error.issues.map(({ path, message }) => [path.join('.') || 'file', message]));
  const list = Object.entries(fields).map(([field, message]) => `${field}: ${message}`);
  throw new StopError({ code: 'invalid_settings', message: `The file is not a keystore of version 3: ${list.join('; ')}`, fields });
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    return undefined;
  }
}

async function deriveKey({ kdf, kdfparams }: Crypto, password: string): Promise<Buffer> {
  const salt = Buffer.from(kdfparams.salt, 'hex');
  if (kdf === 'pbkdf2') return deriveByPbkdf2(password, salt, kdfparams.c, kdfparams.dklen, 'sha256');
  return scrypt(password, salt, kdfparams.dklen, kdfparams);
}

function macOf(derived: Buffer, ciphertext: Buffer): Buffer {
  return Buffer.from(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]), 'bytes'));
}

/** Parameters of scrypt: work factor (a power of 2), block size, parallelisation. */
interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

const nativeScrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(nodeScrypt);

/** Memory that scrypt needs, in bytes. */
function scryptMemory({ n, r, p }: ScryptCost): number {
  return 128 * r * (n + p + 2);
}

/**
 * Derives a key of `length` bytes by scrypt (RFC 7914). OpenSSL enforces the RFC's n < 2^(16r). Some old keystores break it, as the keystore
 * definition's own test vector does (n = 2^18 with r = 1): those are derived in JavaScript, which takes about a second.
 */
async function scrypt(password: string, salt: Buffer, length: number, cost: ScryptCost): Promise<Buffer> {
  const { n, r, p } = cost;
  const maxmem = scryptMemory(cost) + 1024;
  if (n < 2 ** (16 * r)) return nativeScrypt(password, salt, length, { N: n, r, p, maxmem });
  return Buffer.from(await portableScrypt(password, salt, { N: n, r, p, dkLen: length, maxmem }));
}
