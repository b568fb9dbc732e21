import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';
import { clearExpired } from '../expired-rows.ts';

/** Minutes for which a right password waits for the second factor. */
const pendingMinutes = 10;

/** Remembers that the right password was entered in a browser, which is the SHA-256 of its cookie, and that the second factor is due. */
export async function keepPendingSignIn(ledger: Ledger, browser: Buffer, user: string): Promise<void> {
  const expiresAt = sql<Date>`now() + make_interval(mins => ${pendingMinutes})`;
  await ledger
    .insertInto('pendingSignIns')
    .values({ browser, userId: user, expiresAt })
    .onConflict((conflict) => conflict.column('browser').doUpdateSet({ userId: user, expiresAt }))
    .execute();
  await clearExpired(ledger, 'pendingSignIns');
}

/** The user who owes the second factor in a browser; `undefined` when there is none. */
export async function findPendingSignIn(ledger: Ledger, browser: Buffer): Promise<{ user: string; email: string } | undefined> {
  return ledger
    .selectFrom('pendingSignIns as s')
    .innerJoin('users as u', 'u.id', 's.userId')
    .where('s.browser', '=', browser)
    .where('s.expiresAt', '>', sql<Date>`now()`)
    .select(['u.id as user', 'u.email'])
    .executeTakeFirst();
}

/** Ends what a browser owes: the factor was given, or the user begins anew. Returns whether the user owed it there. */
export async function endPendingSignIn(ledger: Ledger, browser: Buffer, user: string): Promise<boolean> {
  const ended = await ledger.deleteFrom('pendingSignIns').where('browser', '=', browser).returning('userId').executeTakeFirst();
  return ended?.userId === user;
}

/** Ends what a user owes in all browsers: the password that was entered there counts no more. */
export async function endPendingSignInsOf(ledger: Ledger, user: string): Promise<void> {
  await ledger.deleteFrom('pendingSignIns').where('userId', '=', user).execute();
}
