import { hashPassword, setPassword } from '../access/passwords.ts';
import type { SignedInUser } from '../access/sessions.ts';
import { signOutEverywhere } from '../access/sign-out.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { queuePasswordNotice, type RequestSource } from './notices.ts';

/** Changes the password of a user who has proven to be present. All other sessions and all known devices end, and a mail says so. */
export async function changePassword(
  ledger: Ledger,
  sealer: Sealer,
  { user, password, source }: { user: SignedInUser; password: string; source: RequestSource },
): Promise<void> {
  const hash = await hashPassword(password);
  await inTransaction(ledger, async (tx) => {
    await setPassword(tx, user.id, hash, 'change');
    await signOutEverywhere(tx, user.id, { kept: user.session });
    await queuePasswordNotice(tx, sealer, user.email, source);
  });
}
