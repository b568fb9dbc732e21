import { sql } from 'kysely';
import { createSecret, hashSecret } from '../access/applications.ts';
import { clearExpired } from '../access/expired-rows.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import type { SignInSource } from '../access/sign-in-source.ts';
import type { OperatorRole } from '../../schema/states.ts';

/** How long an operator stays signed in at the most: a working day (OWASP ASVS 4, 3.3.2, level 2). */
export const operatorSessionSeconds = 12 * 3_600;

/** How long an operator stays signed in without use (the same). */
export const idleSeconds = 30 * 60;

const idleEnd = sql<Date>`s.last_used_at + make_interval(secs => ${idleSeconds})`;

const isOpen = sql<boolean>`s.ended_at is null and s.expires_at > now() and ${idleEnd} > now()`;

/** The operator of a session. */
export interface SignedInOperator {
  /** As the audit log names the person. */
  name: string;
  id: string;
  role: OperatorRole;
  /** Id of the session. */
  session: string;
  /** Until the session ends without use. */
  idleSecondsLeft: number;
  /** Until it ends however much it is used. */
  secondsLeft: number;
}

/** Signs an operator in. Returns the secret for the cookie; the ledger keeps only its SHA-256. Whoever calls it holds the lock of the operator. */
export async function createOperatorSession(tx: LedgerTransaction, operator: string, { browser, network }: SignInSource): Promise<string> {
  const { secret, hash } = createSecret();
  await tx
    .insertInto('operatorSessions')
    .values({ hash, operator, browser, network, expiresAt: sql`now() + make_interval(secs => ${operatorSessionSeconds})` })
    .execute();
  await clearExpired(tx, 'operatorSessions');
  return secret;
}

/**
 * The operator who is signed in by a cookie; `undefined` when the session is unknown or has ended. It is no use of the session: pages read by themselves, for as
 * long as they are open.
 */
export async function findOperatorSession(ledger: Ledger, secret: string): Promise<SignedInOperator | undefined> {
  return ledger
    .selectFrom('operatorSessions as s')
    .innerJoin('operators as o', 'o.name', 's.operator')
    .where('s.hash', '=', hashSecret(secret))
    .where(isOpen)
    .where('o.disabledAt', 'is', null)
    .select(['o.name', 'o.id', 'o.role', 's.id as session'])
    .select([
      sql<number>`extract(epoch from ${idleEnd} - now())::float`.as('idleSecondsLeft'),
      sql<number>`extract(epoch from s.expires_at - now())::float`.as('secondsLeft'),
    ])
    .executeTakeFirst();
}

/** Records that a person has used a session just now. */
export async function recordSessionUse(ledger: Ledger, { session }: SignedInOperator): Promise<void> {
  await ledger
    .updateTable('operatorSessions')
    .set({ lastUsedAt: sql`now()` })
    .where('id', '=', session)
    .execute();
}

/** How long a proof of what an operator signs in with lets them change it. */
const proofMinutes = 5;

const isProven = sql<boolean>`s.proven_at > now() - make_interval(mins => ${proofMinutes})`;

/** Records that the operator of a session has just proven to have what they sign in with. Returns whether the session is still open. */
export async function recordProof(tx: LedgerTransaction, { session }: SignedInOperator): Promise<boolean> {
  const proven = await tx
    .updateTable('operatorSessions as s')
    .set({ provenAt: sql`now()` })
    .where('s.id', '=', session)
    .where(isOpen)
    .executeTakeFirst();
  return proven.numUpdatedRows > 0n;
}

/** Whether the operator of a session has proven within the last minutes to have what they sign in with. A sign-in is no proof: its session may be stolen. */
export async function hasProof(ledger: Ledger, { session }: SignedInOperator): Promise<boolean> {
  const proven = await ledger
    .selectFrom('operatorSessions as s')
    .where('s.id', '=', session)
    .where(isOpen)
    .where(isProven)
    .select('s.id')
    .executeTakeFirst();
  return proven !== undefined;
}

/** Signs out: the cookie is invalid from now on. */
export async function endOperatorSession(ledger: Ledger, secret: string): Promise<void> {
  await ended(ledger).where('hash', '=', hashSecret(secret)).execute();
}

/** Ends all sessions of an operator, or those except the one with the id `kept`. Returns how many ended. */
export async function endOperatorSessions(ledger: Ledger, operator: string, { kept }: { kept?: string } = {}): Promise<number> {
  let query = ended(ledger).where('operator', '=', operator);
  if (kept !== undefined) query = query.where('id', '<>', kept);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** An ended session stays until it would have expired: its end is a change, which the audit log has. */
function ended(ledger: Ledger) {
  return ledger
    .updateTable('operatorSessions')
    .set({ endedAt: sql`now()` })
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`);
}

/** Which of these sessions have ended, or have an operator who is disabled or has another role by now. Their streams are not a use. */
export async function endedSessions(ledger: Ledger, sessions: readonly SignedInOperator[]): Promise<Set<string>> {
  if (sessions.length === 0) return new Set();
  const open = await ledger
    .selectFrom('operatorSessions as s')
    .innerJoin('operators as o', 'o.name', 's.operator')
    .where('s.id', 'in', [...new Set(sessions.map(({ session }) => session))])
    .where(isOpen)
    .where('o.disabledAt', 'is', null)
    .select(['s.id', 'o.role'])
    .execute();
  const roles = new Map(open.map(({ id, role }) => [id, role]));
  return new Set(sessions.filter(({ session, role }) => roles.get(session) !== role).map(({ session }) => session));
}
