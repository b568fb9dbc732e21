import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Ledger, LedgerTransaction } from '../ledger.ts';

/** argon2id as OWASP's password storage page puts it first: 46 MiB, one pass, one lane; some 50 ms of a core. */
const parameters = { memory: 47_104, passes: 1, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

const hash = promisify(argon2);

/** A password that nobody has: an unknown account costs the same time as a wrong password. */
let decoy: Promise<string> | undefined;

/** argon2id (RFC 9106) of a password, as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await hash('argon2id', { message: normal(password), nonce: salt, tagLength: tagBytes, ...parameters });
  const { memory, passes, parallelism } = parameters;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Keeps the password of a user, in place of an earlier one. */
export async function setPassword(tx: LedgerTransaction, user: string, hash: string): Promise<void> {
  await tx
    .insertInto('passwords')
    .values({ userId: user, hash })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ hash, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** The user of an email address and a password; `undefined` for a wrong password and an unknown address alike, in the same time. */
export async function authenticateUser(ledger: Ledger, email: string, password: string): Promise<string | undefined> {
  const known = await ledger
    .selectFrom('users as u')
    .innerJoin('passwords as p', 'p.userId', 'u.id')
    .where(sql<string>`lower(u.email)`, '=', sql<string>`lower(${email})`)
    .select(['u.id', 'p.hash'])
    .executeTakeFirst();
  decoy ??= hashPassword(randomBytes(saltBytes).toString('hex'));
  const matches = await matchesHash(password, known?.hash ?? (await decoy));
  return known && matches ? known.id : undefined;
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** By the parameters that the hash itself names, so that they may be raised for new passwords. */
async function matchesHash(password: string, kept: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(kept) ?? [];
  if (tag === '') throw new Error('a password hash in the database is not a PHC string of argon2id');
  const expected = Buffer.from(tag, 'base64');
  const computed = await hash('argon2id', {
    message: normal(password),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(computed, expected);
}

/** One password, however a keyboard composes its characters (NIST SP 800-63B, section 3.1.1.2). */
function normal(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'));
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
