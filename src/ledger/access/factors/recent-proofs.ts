import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';

/** Minutes after a proof of who they are in which a user may change their factors without another. */
const proofMinutes = 10;

/** Records that the user of a session has proved just now who they are. */
export async function recordProof(ledger: Ledger, session: Buffer): Promise<void> {
  await ledger
    .updateTable('sessions')
    .set({ provedAt: sql`now()` })
    .where('hash', '=', session)
    .execute();
}

/** Whether the user of a session has proved within the last minutes who they are. */
export async function isRecentlyProved(ledger: Ledger, session: Buffer): Promise<boolean> {
  const proved = await ledger
    .selectFrom('sessions')
    .where('hash', '=', session)
    .where('provedAt', '>', sql<Date>`now() - make_interval(mins => ${proofMinutes})`)
    .select('hash')
    .executeTakeFirst();
  return proved !== undefined;
}
