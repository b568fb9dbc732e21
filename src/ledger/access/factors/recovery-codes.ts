import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { hashSecret } from '../applications.ts';
import { lockUser } from '../users.ts';

/** How many codes a user gets (docs/api.md, Second factors). */
const codesPerUser = 10;

/** Of five random bits each. Nobody guesses 120 bits, so a fast hash is enough (OWASP ASVS 4, 2.6.2). */
const charactersPerCode = 24;

/** Base32 in lower case, in which no two characters look alike (RFC 4648, section 6). */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Gives a user new codes, each good once, in place of all earlier ones. Only their SHA-256 is kept. */
export async function makeRecoveryCodes(ledger: Ledger, user: string): Promise<string[]> {
  const codes = Array.from({ length: codesPerUser }, newCode);
  await inTransaction(ledger, async (tx) => {
    await lockUser(tx, user);
    await tx.deleteFrom('recoveryCodes').where('userId', '=', user).execute();
    const rows = codes.map((code, index) => ({ hash: hashCode(code), userId: user, number: index + 1, usedAt: null }));
    await tx.insertInto('recoveryCodes').values(rows).execute();
  });
  return codes;
}

/** Uses up a code of a user, however it is typed. Returns whether it was good. */
export async function useRecoveryCode(ledger: Ledger, user: string, code: string): Promise<boolean> {
  const used = await ledger
    .updateTable('recoveryCodes')
    .set({ usedAt: sql`now()` })
    .where('hash', '=', hashCode(code))
    .where('userId', '=', user)
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/** How many codes of a user are still good. */
export async function countRecoveryCodes(ledger: Ledger, user: string): Promise<number> {
  const { left } = await ledger
    .selectFrom('recoveryCodes')
    .where('userId', '=', user)
    .where('usedAt', 'is', null)
    .select(sql<number>`count(*)::int`.as('left'))
    .executeTakeFirstOrThrow();
  return left;
}

function newCode(): string {
  // The 32 characters divide the values of a byte evenly.
  const characters = [...randomBytes(charactersPerCode)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return characters.match(/.{6}/g)?.join('-') ?? '';
}

function hashCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''));
}
