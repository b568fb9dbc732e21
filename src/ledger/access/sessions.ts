import { sql } from 'kysely';
import { createSecret, hashSecret } from './applications.ts';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** How long a browser stays signed in: long enough to fetch a passport and come back, short enough for a shared computer. */
export const sessionSeconds = 4 * 3_600;

/** Signs a user in on a browser. Returns the secret for its cookie; the ledger keeps only its SHA-256. */
export async function createSession(ledger: Ledger, user: string): Promise<string> {
  const { secret, hash } = createSecret();
  await ledger
    .insertInto('sessions')
    .values({ hash, userId: user, expiresAt: sql`now() + make_interval(secs => ${sessionSeconds})` })
    .execute();
  await clearExpired(ledger, 'sessions');
  return secret;
}

/** The user of a session; `defaultProfile` is the id of a profile. */
export interface SignedInUser {
  id: string;
  email: string;
  name: string;
  defaultProfile: string | null;
}

/** The user who is signed in by a cookie; `undefined` when it is unknown or expired. */
export async function findSession(ledger: Ledger, secret: string): Promise<SignedInUser | undefined> {
  return ledger
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.userId')
    .where('s.hash', '=', hashSecret(secret))
    .where('s.expiresAt', '>', sql<Date>`now()`)
    .select(['u.id', 'u.email', 'u.name', 'u.defaultProfile'])
    .executeTakeFirst();
}

/** Signs out: the cookie is invalid from now on. */
export async function endSession(ledger: Ledger, secret: string): Promise<void> {
  await ledger.deleteFrom('sessions').where('hash', '=', hashSecret(secret)).execute();
}
