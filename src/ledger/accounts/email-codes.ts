import { createHash, createHmac, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { clearExpired } from '../access/expired-rows.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** Minutes for which a code is valid, and its mail is worth sending. */
export const codeMinutes = 30;

/** Wrong codes before a new one must be asked for: of 10^8 codes that makes one guess in twenty million right. */
const maxAttempts = 5;

const digits = 8;

/** What a code is for: to prove the address of a sign-up, or to set a new password. */
export type CodePurpose = LedgerTables['emailCodes']['purpose'];

/** A code to be sent, and what waits for it. */
export interface NewEmailCode {
  /** The secret of the browser that asks. The code is worth nothing in another. */
  browserSecret: string;
  purpose: CodePurpose;
  email: string;
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

/** Makes a code in place of an earlier one of the same browser and purpose. The ledger keeps only a hash. */
export async function createEmailCode(tx: LedgerTransaction, { browserSecret, purpose, email, signUp }: NewEmailCode): Promise<string> {
  const code = String(randomInt(10 ** digits)).padStart(digits, '0');
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

/** Takes a right code, once: of several requests with it only the first gets what waited for it. */
export async function takeCode(tx: LedgerTransaction, { browserSecret, purpose, code }: CodeEntry): Promise<WaitingForCode | undefined> {
  return tx
    .deleteFrom('emailCodes')
    .where('browser', '=', hashBrowser(browserSecret))
    .where('purpose', '=', purpose)
    .where('codeHash', '=', hashCode(browserSecret, code))
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['email', 'name', 'passwordHash'])
    .executeTakeFirst();
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
