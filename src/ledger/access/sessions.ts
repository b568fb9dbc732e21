import { sql } from 'kysely';
import { createSecret, hashSecret } from './applications.ts';
import { clearExpired } from './expired-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { SignInSource } from './sign-in-source.ts';
import { lockUser } from './users.ts';

/** How long a browser stays signed in at the most (OWASP ASVS 4, 3.3.2, level 2). */
export const sessionSeconds = 12 * 3_600;

/** How long it stays signed in without use: long enough to fetch a passport and come back, short enough for a shared computer (the same). */
const idleSeconds = 30 * 60;

/** The time of the last use is stored to the minute, so that most requests write nothing. */
const usePrecisionSeconds = 60;

/** Sessions that are listed: the newest ones. More than people have browsers. */
const mostListed = 50;

/** Signs a user in on a browser. Returns the secret for its cookie; the ledger keeps only its SHA-256. */
export async function createSession(ledger: Ledger, user: string, { browser, network }: SignInSource): Promise<string> {
  const { secret, hash } = createSecret();
  await ledger
    .insertInto('sessions')
    .values({ hash, userId: user, browser, network, expiresAt: sql`now() + make_interval(secs => ${sessionSeconds})` })
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
  /** Id of the session. */
  session: string;
}

/** The user who is signed in by a cookie, which counts as a use; `undefined` when the session is unknown or has ended. */
export async function findSession(ledger: Ledger, secret: string): Promise<SignedInUser | undefined> {
  const hash = hashSecret(secret);
  const user = await ledger
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.userId')
    .where('s.hash', '=', hash)
    .where(isOpen('s'))
    .select(['u.id', 'u.email', 'u.name', 'u.defaultProfile', 's.id as session'])
    .executeTakeFirst();
  if (!user) return undefined;
  await ledger
    .updateTable('sessions')
    .set({ lastUsedAt: sql`now()` })
    .where('hash', '=', hash)
    .where('lastUsedAt', '<', sql<Date>`now() - make_interval(secs => ${usePrecisionSeconds})`)
    .execute();
  return user;
}

/**
 * Runs `work` in a transaction during which nobody signs the user out everywhere: what it adds does not outlive a reset by an operator or of the
 * password. Returns `undefined`, and runs nothing, when the session has ended meanwhile.
 */
export async function inOpenSession<T>(
  ledger: Ledger,
  { id, session }: Pick<SignedInUser, 'id' | 'session'>,
  work: (tx: LedgerTransaction) => Promise<T>,
): Promise<T | undefined> {
  return inTransaction(ledger, async (tx) => {
    await lockUser(tx, id);
    const open = await tx
      .selectFrom('sessions as s')
      .where('s.id', '=', session)
      .where('s.userId', '=', id)
      .where(isOpen('s'))
      .select('s.id')
      .executeTakeFirst();
    return open && work(tx);
  });
}

/** A session as its user sees it. */
export interface Session extends SignInSource {
  id: string;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
}

/** The sessions of a user that have not ended, the last used first. */
export async function listSessions(ledger: Ledger, user: string): Promise<Session[]> {
  return ledger
    .selectFrom('sessions as s')
    .where('s.userId', '=', user)
    .where(isOpen('s'))
    .select(['s.id', 's.createdAt', 's.lastUsedAt', 's.browser', 's.network'])
    .orderBy('s.lastUsedAt', 'desc')
    .limit(mostListed)
    .execute();
}

/** Signs out: the cookie is invalid from now on. */
export async function endSession(ledger: Ledger, secret: string): Promise<void> {
  await ended(ledger).where('hash', '=', hashSecret(secret)).execute();
}

/** Ends one session of a user, or all, except the one with the id `kept`. Returns how many ended. */
export async function endSessionsOf(ledger: Ledger, user: string, which: { id?: string; kept?: string } = {}): Promise<number> {
  let query = ended(ledger).where('userId', '=', user);
  if (which.id !== undefined) query = query.where('id', '=', which.id);
  if (which.kept !== undefined) query = query.where('id', '<>', which.kept);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** An ended session stays until it would have expired: its end is a change, which the audit log has. */
function ended(ledger: Ledger) {
  return ledger
    .updateTable('sessions')
    .set({ endedAt: sql`now()` })
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`);
}

function isOpen(alias: string) {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`${column('endedAt')} is null and ${column('expiresAt')} > now()
    and ${column('lastUsedAt')} > now() - make_interval(secs => ${idleSeconds})`;
}
