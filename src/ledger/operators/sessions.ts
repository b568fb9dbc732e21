import { sql } from 'kysely';
import type { OperatorRole } from '../../schema/states.ts';
import { hashSecret } from '../access/applications/secrets.ts';
import { idleEnd, isOpen } from '../access/sessions.ts';
import type { Ledger } from '../ledger.ts';

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

/**
 * The operator who is signed in by a cookie; `undefined` when the session is unknown or has ended. It is no use of the session: pages read by themselves, for as
 * long as they are open.
 */
export async function findOperatorSession(ledger: Ledger, secret: string): Promise<SignedInOperator | undefined> {
  return ledger
    .selectFrom('sessions as s')
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

/** Which of these sessions have ended, or have an operator who is disabled or has another role by now. Their streams are not a use. */
export async function endedSessions(ledger: Ledger, sessions: readonly SignedInOperator[]): Promise<Set<string>> {
  if (sessions.length === 0) return new Set();
  const open = await ledger
    .selectFrom('sessions as s')
    .innerJoin('operators as o', 'o.name', 's.operator')
    .where('s.id', 'in', [...new Set(sessions.map(({ session }) => session))])
    .where(isOpen)
    .where('o.disabledAt', 'is', null)
    .select(['s.id', 'o.role'])
    .execute();
  const roles = new Map(open.map(({ id, role }) => [id, role]));
  return new Set(sessions.filter(({ session, role }) => roles.get(session) !== role).map(({ session }) => session));
}
