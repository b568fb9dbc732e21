import type { LedgerTransaction } from '../ledger.ts';
import { endPendingSignInsOf } from './factors/pending-sign-ins.ts';
import { forgetDevices } from './known-devices.ts';
import { endSessionsOf } from './sessions.ts';
import { userSubject } from './subject.ts';
import { lockUser } from './users.ts';

/**
 * Signs a user out on all browsers, except in the session `kept`: sessions end, so do sign-ins that wait for a second factor, and no browser is known any
 * more, except one with the secret `keptDevice` that was known before. Returns how many sessions ended.
 */
export async function signOutEverywhere(
  tx: LedgerTransaction,
  user: string,
  { kept, keptDevice }: { kept?: string; keptDevice?: string | undefined } = {},
): Promise<number> {
  await lockUser(tx, user);
  // In the order in which a sign-in locks the same rows: otherwise the two could wait for each other.
  await endPendingSignInsOf(tx, user);
  const ended = await endSessionsOf(tx, userSubject(user), kept === undefined ? {} : { kept });
  await forgetDevices(tx, user, { kept: keptDevice });
  return ended;
}
