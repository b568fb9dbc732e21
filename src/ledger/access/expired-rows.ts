import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** Rows that one call deletes at most: more than its caller adds, so that the table cannot grow without end, and few enough to be quick. */
const rowsPerCall = 20;

/** The tables whose rows expire, and the column that says when. */
const expiryColumns = {
  accessTokens: 'expiresAt',
  refreshTokens: 'expiresAt',
  authorizationCodes: 'expiresAt',
  sessions: 'expiresAt',
  messageNonces: 'expiresAt',
  knownDevices: 'expiresAt',
  signInTries: 'until',
  webauthnChallenges: 'expiresAt',
  pendingSignIns: 'expiresAt',
  signInFailures: 'hour',
  emailCodes: 'expiresAt',
  mailedCodes: 'until',
  operatorInvitations: 'expiresAt',
} as const;

/**
 * Deletes the oldest rows of a table that expired more than `keptDays` ago, a few at a time. Whoever adds a row calls it, which spares the
 * service a sweep. Rows that another call is deleting are passed over.
 */
export async function clearExpired(ledger: Ledger, table: keyof typeof expiryColumns, keptDays = 0): Promise<void> {
  const expiry = sql.ref(expiryColumns[table]);
  await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${expiry} < now() - make_interval(days => ${keptDays})
      order by ${expiry} limit ${rowsPerCall} for update skip locked))
  `.execute(ledger);
}
