import { sql } from 'kysely';
import { createSecret, hashSecret } from './applications/secrets.ts';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** Days for which a browser is known after a sign-in. */
export const knownDeviceDays = 180;

/** Whether the user of an email address has signed in on the browser that has this secret. */
export async function isKnownDevice(ledger: Ledger, secret: string, email: string): Promise<boolean> {
  const known = await ledger
    .selectFrom('knownDevices as d')
    .innerJoin('users as u', 'u.id', 'd.userId')
    .where('d.hash', '=', hashSecret(secret))
    .where('d.expiresAt', '>', sql<Date>`now()`)
    .where(sql<string>`lower(u.email)`, '=', sql<string>`lower(${email})`)
    .select('d.hash')
    .executeTakeFirst();
  return known !== undefined;
}

/** The id of the user who has signed in on the browser that has this secret. */
export async function findDeviceUser(ledger: Ledger, secret: string): Promise<string | undefined> {
  const device = ledger
    .selectFrom('knownDevices')
    .where('hash', '=', hashSecret(secret))
    .where('expiresAt', '>', sql<Date>`now()`);
  return (await device.select('userId').executeTakeFirst())?.userId;
}

/**
 * Remembers the browser in which a user has signed in. Returns the secret for its cookie: a new one unless the browser is known for this user, so
 * that nobody can plant a secret. The ledger keeps only its SHA-256.
 */
export async function rememberDevice(ledger: Ledger, user: string, current: string | undefined): Promise<string> {
  const expiresAt = sql<Date>`now() + make_interval(days => ${knownDeviceDays})`;
  if (current !== undefined) {
    const update = ledger.updateTable('knownDevices').set({ expiresAt }).where('hash', '=', hashSecret(current)).where('userId', '=', user);
    if ((await update.executeTakeFirst()).numUpdatedRows > 0n) return current;
  }
  const { secret, hash } = createSecret();
  await ledger.insertInto('knownDevices').values({ hash, userId: user, expiresAt }).execute();
  await clearExpired(ledger, 'knownDevices');
  return secret;
}

/** Forgets all browsers of a user, except the one that has the secret `kept`: a sign-in on any of them counts as one on a new browser. */
export async function forgetDevices(ledger: Ledger, user: string, { kept }: { kept?: string | undefined } = {}): Promise<void> {
  const devices = ledger.deleteFrom('knownDevices').where('userId', '=', user);
  await (kept === undefined ? devices : devices.where('hash', '!=', hashSecret(kept))).execute();
}
