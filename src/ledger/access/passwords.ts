import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { sql } from 'kysely';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { PasswordOrigin } from '../../schema/states.ts';
import { countSignInFailure } from './sign-in-failures.ts';
import { type Subject, subjectColumn, subjectValues, userSubject } from './subject.ts';

/** argon2id, the library's default, as OWASP's password storage page lists it first: 46 MiB (in KiB), one pass, one lane; some 50 ms of a core. */
const cost = { memoryCost: 47_104, timeCost: 1, parallelism: 1 };

/** The hash of a password that nobody has: an unknown account takes the same time as a wrong password. */
let decoy: Promise<string> | undefined;

/** argon2id (RFC 9106) of a password, as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), cost);
}

/** Whether a password is the one of a hash. Without a hash it is not, which takes the same time. A hash names its own parameters. */
async function isPassword(hash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('hex'));
  const matches = await verify(hash ?? (await decoy), normalized(password));
  return hash !== undefined && matches;
}

/** Stores the hash of somebody's password in place of an earlier one. */
export async function setPassword(tx: LedgerTransaction, subject: Subject, hash: string, setBy: PasswordOrigin): Promise<void> {
  await tx
    .insertInto('passwords')
    .values({ ...subjectValues(subject), hash, setBy })
    .onConflict((conflict) => conflict.column(subjectColumn(subject)).doUpdateSet({ hash, setBy, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** Somebody who gave the right password. */
export interface PasswordProof {
  subject: Subject;
  /** The stored hash that the password was compared with. */
  hash: string;
}

/**
 * Whether a password that was right is still theirs; if so, no other is set before the transaction ends. The comparison takes long enough
 * for another one to be set meanwhile, and then the old one must open nothing.
 */
export async function isCurrentPassword(tx: LedgerTransaction, { subject, hash }: PasswordProof): Promise<boolean> {
  const current = await tx
    .selectFrom('passwords')
    .where(subjectColumn(subject), '=', subject.id)
    .where('hash', '=', hash)
    .select('id')
    .forUpdate()
    .executeTakeFirst();
  return current !== undefined;
}

/** Takes somebody's password away. */
export async function removePassword(tx: LedgerTransaction, subject: Subject): Promise<void> {
  await tx.deleteFrom('passwords').where(subjectColumn(subject), '=', subject.id).execute();
}

/** Whether somebody has a password. */
export async function hasPassword(ledger: Ledger, subject: Subject): Promise<boolean> {
  const password = ledger.selectFrom('passwords').where(subjectColumn(subject), '=', subject.id).select('id');
  return (await password.executeTakeFirst()) !== undefined;
}

/** The user of a proven email address and a password; `undefined` for a wrong password and an unknown address alike, in the same time. */
export async function authenticateUser(ledger: Ledger, email: string, password: string): Promise<PasswordProof | undefined> {
  const known = await ledger
    .selectFrom('users as u')
    .innerJoin('passwords as p', 'p.userId', 'u.id')
    .where(sql<string>`lower(u.email)`, '=', sql<string>`lower(${email})`)
    .where('u.emailVerifiedAt', 'is not', null)
    .select(['u.id', 'p.hash'])
    .executeTakeFirst();
  return checkPassword(ledger, known && { subject: userSubject(known.id), hash: known.hash }, { kind: 'user', password });
}

/**
 * What was known of somebody if the password is theirs; `undefined` for a wrong password and for somebody whom nobody knows alike, in the same time. A
 * failure is counted for the audit log. A stored hash names its own parameters, so they may be raised for new passwords.
 */
export async function checkPassword(
  ledger: Ledger,
  known: PasswordProof | undefined,
  { kind, password }: { kind: Subject['kind']; password: string },
): Promise<PasswordProof | undefined> {
  if (await isPassword(known?.hash, password)) return known;
  await countSignInFailure(ledger, { kind, id: known?.subject.id }, 'password');
  return undefined;
}

/** One form of a password, however a keyboard composes its characters (NIST SP 800-63B, section 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
