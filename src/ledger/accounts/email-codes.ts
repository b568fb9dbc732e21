import { createHash, createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { clearExpired } from '../access/expired-rows.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { LedgerTables } from '../../schema/tables.ts';
import { type MailedPurpose, sharedMinutes } from './mail-outbox.ts';

/** Minutes for which a code is valid, and its mail is worth sending. */
export const codeMinutes = 30;

/** Wrong codes before a new one must be asked for. */
const maxAttempts = 5;

/**
 * Whoever asks for codes without end may guess five times at each: a network address sends 300 requests a minute (`RATE_LIMITS`), so a
 * thousand of them are right once in some seven years.
 */
const digits = 12;

/** What a code is for: to prove the address of a sign-up, or to set a new password. */
export type CodePurpose = LedgerTables['emailCodes']['purpose'];

/** A code to be sent, and what waits for it. */
export interface NewEmailCode {
  /** The secret of the browser that asks. The code is worth nothing in another. */
  browserSecret: string;
  purpose: CodePurpose;
  email: string;
  /** What its mail is counted as, if that has no code: it does not count against those that have. */
  mailedAs?: MailedPurpose;
  /** Only of a sign-up. */
  signUp?: { name: string; passwordHash: string };
}

/** What was entered on a page. */
export interface CodeEntry {
  browserSecret: string;
  purpose: CodePurpose;
  code: string;
}

/** What waited for a code. */
export interface WaitingForCode {
  email: string;
  name: string | null;
  passwordHash: string | null;
}

/** Why an entered code is not accepted: it is wrong, or there is no valid one any more, because of its age or of too many wrong ones. */
export type CodeProblem = 'wrong' | 'ended';

/**
 * Gives a browser the code for an address, in place of an earlier one of the same purpose: a new one, or the one that was made for it some minutes ago.
 * The ledger keeps only a hash of it. Until the commit nobody else gets or mails a code of the address.
 */
export async function createEmailCode(
  tx: LedgerTransaction,
  sealer: Sealer,
  { browserSecret, purpose, email, mailedAs = purpose, signUp }: NewEmailCode,
): Promise<string> {
  const code = await currentCode(tx, sealer, mailedAs, email);
  const row = {
    email,
    codeHash: hashCode(browserSecret, code),
    name: signUp?.name ?? null,
    passwordHash: signUp?.passwordHash ?? null,
    attempts: 0,
    expiresAt: sql<Date>`now() + make_interval(mins => ${codeMinutes})`,
  };
  await tx
    .insertInto('emailCodes')
    .values({ browser: hashBrowser(browserSecret), purpose, ...row })
    .onConflict((conflict) => conflict.columns(['browser', 'purpose']).doUpdateSet(row))
    .execute();
  await clearExpired(tx, 'emailCodes');
  return code;
}

/** The code that an address gets for a purpose now. It is made of random bytes by the service's key, so that the database alone does not know it. */
async function currentCode(tx: LedgerTransaction, sealer: Sealer, purpose: MailedPurpose, email: string): Promise<string> {
  const { rows } = await sql<{ salt: Buffer }>`
    insert into mailed_codes as c (recipient, purpose, salt, mails, until)
    values (lower(${email}), ${purpose}, ${randomBytes(32)}, 0, now() + make_interval(mins => ${sharedMinutes}))
    on conflict (recipient, purpose) do update set
      salt = case when c.until <= now() then excluded.salt else c.salt end,
      mails = case when c.until <= now() then 0 else c.mails end,
      until = case when c.until <= now() then excluded.until else c.until end
    returning salt
  `.execute(tx);
  const { salt } = rows[0] as { salt: Buffer };
  await clearExpired(tx, 'mailedCodes');
  const number = BigInt(`0x${sealer.fingerprint(`code for ${purpose} ${salt.toString('hex')}`)}`) % 10n ** BigInt(digits);
  return String(number).padStart(digits, '0');
}

/** What waits for a code in a browser; `undefined` when nothing does any more. */
export async function findWaiting(ledger: Ledger, browserSecret: string, purpose: CodePurpose): Promise<WaitingForCode | undefined> {
  return waiting(ledger, browserSecret, purpose).where('attempts', '<', maxAttempts).executeTakeFirst();
}

/** Counts an attempt to enter a code, and says whether it is right. A right one is still to be taken by {@link takeCode}. */
export async function tryCode(ledger: Ledger, { browserSecret, purpose, code }: CodeEntry): Promise<CodeProblem | undefined> {
  const row = await ledger
    .updateTable('emailCodes')
    .set((values) => ({ attempts: values('attempts', '+', 1) }))
    .where('browser', '=', hashBrowser(browserSecret))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', sql<Date>`now()`)
    .where('attempts', '<', maxAttempts)
    .returning(['codeHash', 'attempts'])
    .executeTakeFirst();
  if (!row) return 'ended';
  if (row.codeHash.equals(hashCode(browserSecret, code))) return undefined;
  return row.attempts < maxAttempts ? 'wrong' : 'ended';
}

/**
 * Takes a right code, once: of several requests with it only the first gets what waited for it. All codes for its address end, in whichever browser, and
 * the next is another. Other browsers go on waiting for their time, for a code that nobody has: who looks there does not learn that there is an account now.
 */
export async function takeCode(tx: LedgerTransaction, { browserSecret, purpose, code }: CodeEntry): Promise<WaitingForCode | undefined> {
  const codeHash = hashCode(browserSecret, code);
  const right = await waiting(tx, browserSecret, purpose).where('codeHash', '=', codeHash).executeTakeFirst();
  if (right === undefined) return undefined;
  const recipient = sql<string>`lower(${right.email})`;
  // In the order in which createEmailCode locks them.
  await tx.deleteFrom('mailedCodes').where('recipient', '=', recipient).where('purpose', '=', purpose).execute();
  const ofAddress = sql<boolean>`lower(email) = ${recipient} and purpose = ${purpose}`;
  // In one order too: two browsers may enter their codes at once.
  await tx.selectFrom('emailCodes').where(ofAddress).orderBy('browser').select('browser').forUpdate().execute();
  const taken = await tx
    .deleteFrom('emailCodes')
    .where('browser', '=', hashBrowser(browserSecret))
    .where('purpose', '=', purpose)
    .where('codeHash', '=', codeHash)
    .returning(['email', 'name', 'passwordHash'])
    .executeTakeFirst();
  await tx
    .updateTable('emailCodes')
    .set({ codeHash: randomBytes(32) })
    .where(ofAddress)
    .execute();
  return taken;
}

function waiting(ledger: Ledger, browserSecret: string, purpose: CodePurpose) {
  return ledger
    .selectFrom('emailCodes')
    .where('browser', '=', hashBrowser(browserSecret))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', sql<Date>`now()`)
    .select(['email', 'name', 'passwordHash']);
}

function hashBrowser(secret: string): Buffer {
  return createHash('sha256').update(`browser ${secret}`).digest();
}

/** Keyed with the browser's secret, because whoever reads the table could try all codes within a second. */
function hashCode(browserSecret: string, code: string): Buffer {
  return createHmac('sha256', browserSecret).update(code).digest();
}
