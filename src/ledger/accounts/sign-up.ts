import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { hashPassword, setPassword } from '../access/passwords.ts';
import { userSubject } from '../access/subject.ts';
import { ensureOwnProfile } from '../customers/own-profile.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { type CodeEntry, type CodeProblem, codeMinutes, createEmailCode, takeCode, tryCode } from './email-codes.ts';
import { queueMail } from './mail-outbox.ts';

/** What a new user enters, in a browser that has this secret. The password is kept as a hash only. */
export interface SignUp {
  browserSecret: string;
  email: string;
  name: string;
  password: string;
  correlationId: string;
  /** As of a mail for the outbox. */
  network?: string;
}

type WaitingSignUp = Omit<SignUp, 'password'> & { passwordHash: string };

/**
 * Lets a sign-up wait for the code that is sent to its address. Where the address has an account already, the same happens in the same time,
 * and the mail says so: nobody else learns of the account. Throws `mail_outbox_full`, `rate_limited`.
 */
export async function beginSignUp(ledger: Ledger, sealer: Sealer, { password, ...signUp }: SignUp): Promise<void> {
  const passwordHash = await hashPassword(password);
  await inTransaction(ledger, (tx) => sendCode(tx, sealer, { ...signUp, passwordHash }));
}

/** Sends a new code for a sign-up that waits; the code before is void. Throws `mail_outbox_full`, `rate_limited`. */
export async function repeatSignUpCode(ledger: Ledger, sealer: Sealer, signUp: WaitingSignUp): Promise<void> {
  await inTransaction(ledger, (tx) => sendCode(tx, sealer, signUp));
}

async function sendCode(
  tx: LedgerTransaction,
  sealer: Sealer,
  { browserSecret, email, name, passwordHash, correlationId, network }: WaitingSignUp,
): Promise<void> {
  const signUp = { name, passwordHash };
  const code = await createEmailCode(tx, sealer, { browserSecret, purpose: 'sign-up', email, signUp });
  const account = await findAccount(tx, email);
  const content = account?.isTaken === true ? { kind: 'account-exists' as const } : { kind: 'sign-up-code' as const, code };
  // As the user has it: an address that is spelled otherwise may be another's mailbox.
  const recipient = account?.email ?? email;
  await queueMail(tx, sealer, { recipient, content, worthMinutes: codeMinutes, codePurpose: 'sign-up', correlationId, network });
}

/**
 * Makes the user of a sign-up whose code is entered, with a password and an empty personal profile; or completes the one whom an operator named
 * as an owner before. Returns the id of the user, or why there is none: `taken` when the address got an account meanwhile.
 */
export async function completeSignUp(ledger: Ledger, entry: Omit<CodeEntry, 'purpose'>): Promise<{ user: string } | CodeProblem | 'taken'> {
  const codeEntry = { ...entry, purpose: 'sign-up' as const };
  const problem = await tryCode(ledger, codeEntry);
  if (problem !== undefined) return problem;
  return inTransaction(ledger, async (tx) => {
    const waiting = await takeCode(tx, codeEntry);
    if (!waiting || waiting.name === null || waiting.passwordHash === null) return 'ended';
    const { email, name, passwordHash } = waiting;
    const user = (await insertUser(tx, email, name)) ?? (await claimUser(tx, email, name));
    if (user === undefined) return 'taken';
    await setPassword(tx, userSubject(user), passwordHash, 'sign-up');
    await ensureOwnProfile(tx, user);
    return { user };
  });
}

async function insertUser(tx: LedgerTransaction, email: string, name: string): Promise<string | undefined> {
  const created = await tx
    .insertInto('users')
    .values({ id: randomUUID(), email, name, defaultProfile: null, emailVerifiedAt: sql<Date>`now()` })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return created?.id;
}

/** Gives a user without a proven address to whoever has proven it; `undefined` when the address has an account. */
async function claimUser(tx: LedgerTransaction, email: string, name: string): Promise<string | undefined> {
  const account = await findAccount(tx, email);
  if (!account || account.isTaken) return undefined;
  await tx
    .updateTable('users')
    .set({ name, emailVerifiedAt: sql`now()` })
    .where('id', '=', account.id)
    .execute();
  return account.id;
}

/** The user of an address, and whether it is an account: with a proven address, or with a password from a time when none was proven. */
async function findAccount(tx: LedgerTransaction, email: string): Promise<{ id: string; email: string; isTaken: boolean } | undefined> {
  return tx
    .selectFrom('users as u')
    .leftJoin('passwords as p', 'p.userId', 'u.id')
    .where(sql<string>`lower(u.email)`, '=', sql<string>`lower(${email})`)
    .select(['u.id', 'u.email', sql<boolean>`u.email_verified_at is not null or p.user_id is not null`.as('isTaken')])
    .forUpdate('u')
    .executeTakeFirst();
}
