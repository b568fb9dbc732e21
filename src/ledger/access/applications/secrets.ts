import { createHash, randomBytes } from 'node:crypto';

/** 256 bits: a secret that cannot be guessed needs no slow hash. */
const secretBytes = 32;

/** A new secret or token, and the only form in which it is kept. */
export function createSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(secretBytes).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** SHA-256 of a secret or token. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
