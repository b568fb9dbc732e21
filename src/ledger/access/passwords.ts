import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { sql } from 'kysely';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { PasswordOrigin } from '../../schema/states.ts';
import { countSignInFailure } from './sign-in-failures.ts';

/** argon2id, the library's default, as OWASP's password storage page lists it first: 46 MiB (in KiB), one pass, one lane; some 50 ms of a core. */
const cost = { memoryCost: 47_104, timeCost: 1, parallelism: 1 };

/** The hash of a password that nobody has: an unknown account takes the same time as a wrong password. */
let decoy: Promise<string> | undefined;

/** argon2id (RFC 9106) of a password, as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), cost);
}

/** Whether a password is the one of a hash. Without a hash it is not, which takes the same time. A hash names its own parameters. */
export async function isPassword(hash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('hex'));
  const matches = await verify(hash ?? (await decoy), normalized(password));
  return hash !== undefined && matches;
}

/** Stores the hash of a user's password in place of an earlier one. */
export async function setPassword(tx: LedgerTransaction, user: string, hash: string, setBy: PasswordOrigin): Promise<void> {
  await tx
    .insertInto('passwords')
    .values({ userId: user, hash, setBy })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ hash, setBy, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** A user who gave the right password. */
export interface PasswordProof {
  user: string;
  /** The stored hash that the password was compared with. */
  hash: string;
}

/**
 * Whether a password that was right is still the user's; if so, no other is set before the transaction ends. The comparison takes long enough
 * for another one to be set meanwhile, and then the old one must open nothing.
 */
export async function isCurrentPassword(tx: LedgerTransaction, { user, hash }: PasswordProof): Promise<boolean> {
  const current = await tx
    .selectFrom('passwords')
    .where('userId', '=', user)
    .where('hash', '=', hash)
    .select('userId')
    .forUpdate()
    .executeTakeFirst();
  return current !== undefined;
}

/**
 * The user of a proven email address and a password; `undefined` for a wrong password and an unknown address alike, in the same time. A failure
 * is counted for the audit log. A stored hash names its own parameters, so they may be raised for new passwords.
 */
export async function authenticateUser(ledger: Ledger, email: string, password: string): Promise<PasswordProof | undefined> {
  const known = await ledger
    .selectFrom('users as u')
    .innerJoin('passwords as p', 'p.userId', 'u.id')
    .where(sql<string>`lower(u.email)`, '=', sql<string>`lower(${email})`)
    .where('u.emailVerifiedAt', 'is not', null)
    .select(['u.id', 'p.hash'])
    .executeTakeFirst();
  const matches = await isPassword(known?.hash, password);
  if (known && matches) return { user: known.id, hash: known.hash };
  await countSignInFailure(ledger, known?.id);
  return undefined;
}

/** One form of a password, however a keyboard composes its characters (NIST SP 800-63B, section 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
