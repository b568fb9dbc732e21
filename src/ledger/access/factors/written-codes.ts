import { randomBytes } from 'node:crypto';
import { hashSecret } from '../applications/secrets.ts';

/** How many codes somebody gets (docs/api.md, Second factors). */
const codeCount = 10;

/** Of six characters with five random bits each. Nobody guesses 120 bits, so a fast hash is enough (OWASP ASVS 4, 2.6.2). */
const groupsPerCode = 4;

const charactersPerGroup = 6;

/** Base32 in lower case, in which no two characters look alike (RFC 4648, section 6). */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** New recovery codes, as somebody writes them down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codeCount }, () => newCode(groupsPerCode));
}

/** A random code as somebody writes it down, in groups of six characters with five random bits each. */
export function newCode(groups: number): string {
  // The 32 characters divide the values of a byte evenly.
  const characters = [...randomBytes(groups * charactersPerGroup)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return characters.match(/.{6}/g)?.join('-') ?? '';
}

/** The only form in which such a code is kept, however it is typed. */
export function hashCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''));
}
