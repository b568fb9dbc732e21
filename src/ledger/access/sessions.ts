import { sql } from 'kysely';
import { createSecret, hashSecret } from './applications/secrets.ts';
import { clearExpired } from './expired-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockSubject, type Subject, subjectColumn, subjectValues, userSubject } from './subject.ts';

/** Where something was done: a browser by name and system, and the network address that it came from. */
export interface SignInSource {
  browser: string;
  network: string;
}

/** How long a browser stays signed in at the most: a working day (OWASP ASVS 4, 3.3.2, level 2). */
export const sessionSeconds = 12 * 3_600;

/** How long it stays signed in without use: long enough to fetch a passport and come back, short enough for a shared computer (the same). */
export const idleSeconds = 30 * 60;

/** The time of a user's last use is stored to the minute, so that most requests write nothing. */
const usePrecisionSeconds = 60;

/** Sessions that are listed: the newest ones. More than people have browsers. */
const mostListed = 50;

/** When a session `s` ends without use. */
export const idleEnd = sql<Date>`s.last_used_at + make_interval(secs => ${idleSeconds})`;

/** Whether a session `s` has not ended. */
export const isOpen = sql<boolean>`s.ended_at is null and s.expires_at > now() and ${idleEnd} > now()`;

/**
 * Signs somebody in on a browser. Returns the secret for its cookie; the ledger keeps only its SHA-256. A user's sign-in is a proof of who they are for the
 * next minutes; an operator's is none: what it takes to change what an operator signs in with is more than one sign-in.
 */
export async function createSession(ledger: Ledger, subject: Subject, { browser, network }: SignInSource): Promise<string> {
  const { secret, hash } = createSecret();
  const provedAt = subject.kind === 'user' ? sql<Date>`now()` : null;
  const expiresAt = sql<Date>`now() + make_interval(secs => ${sessionSeconds})`;
  await ledger
    .insertInto('sessions')
    .values({ hash, ...subjectValues(subject), browser, network, expiresAt, provedAt })
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
    .where(isOpen)
    .select(['u.id', 'u.email', 'u.name', 'u.defaultProfile', 's.id as session'])
    .executeTakeFirst();
  if (user) await recordSessionUse(ledger, user.session, usePrecisionSeconds);
  return user;
}

/** Records that a person has used a session just now; nothing when the last use that was recorded is less than `precisionSeconds` ago. */
export async function recordSessionUse(ledger: Ledger, session: string, precisionSeconds = 0): Promise<void> {
  await ledger
    .updateTable('sessions')
    .set({ lastUsedAt: sql`now()` })
    .where('id', '=', session)
    .where('lastUsedAt', '<', sql<Date>`now() - make_interval(secs => ${precisionSeconds})`)
    .execute();
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
    await lockSubject(tx, userSubject(id));
    const open = await tx
      .selectFrom('sessions as s')
      .where('s.id', '=', session)
      .where('s.userId', '=', id)
      .where(isOpen)
      .select('s.id')
      .executeTakeFirst();
    return open && work(tx);
  });
}

/** A session as whoever is signed in sees it. */
export interface Session extends SignInSource {
  id: string;
  createdAt: Date;
  /** Of a user to the minute. */
  lastUsedAt: Date;
}

/** The sessions of somebody that have not ended, the last used first. */
export async function listSessions(ledger: Ledger, subject: Subject): Promise<Session[]> {
  return ledger
    .selectFrom('sessions as s')
    .where(subjectColumn(subject), '=', subject.id)
    .where(isOpen)
    .select(['s.id', 's.createdAt', 's.lastUsedAt', 's.browser', 's.network'])
    .orderBy('s.lastUsedAt', 'desc')
    .limit(mostListed)
    .execute();
}

/** Signs out: the cookie is invalid from now on. */
export async function endSession(ledger: Ledger, secret: string): Promise<void> {
  await ended(ledger).where('hash', '=', hashSecret(secret)).execute();
}

/** Ends one session of somebody, or all, except the one with the id `kept`. Returns how many ended. */
export async function endSessionsOf(ledger: Ledger, subject: Subject, which: { id?: string; kept?: string } = {}): Promise<number> {
  let query = ended(ledger).where(subjectColumn(subject), '=', subject.id);
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
