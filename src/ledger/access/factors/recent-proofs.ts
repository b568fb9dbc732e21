import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';
import { isOpen } from '../sessions.ts';
import type { Subject } from '../subject.ts';

/** Minutes after a proof of who they are in which somebody may change what they sign in with, without another. */
const proofMinutes: Readonly<Record<Subject['kind'], number>> = { user: 10, operator: 5 };

/** Records that whoever is signed in, by the id of the session, has proved just now who they are. Returns whether the session is still open. */
export async function recordProof(ledger: Ledger, session: string): Promise<boolean> {
  const proved = await ledger
    .updateTable('sessions as s')
    .set({ provedAt: sql`now()` })
    .where('s.id', '=', session)
    .where(isOpen)
    .executeTakeFirst();
  return proved.numUpdatedRows > 0n;
}

/** Whether whoever is signed in, by the id of the session, has proved within the last minutes who they are. */
export async function isRecentlyProved(ledger: Ledger, session: string, kind: Subject['kind']): Promise<boolean> {
  const proved = await ledger
    .selectFrom('sessions as s')
    .where('s.id', '=', session)
    .where(isOpen)
    .where('s.provedAt', '>', sql<Date>`now() - make_interval(mins => ${proofMinutes[kind]})`)
    .select('s.id')
    .executeTakeFirst();
  return proved !== undefined;
}
