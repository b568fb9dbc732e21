import { hashPassword, isCurrentPassword, type PasswordProof, setPassword } from '../access/passwords.ts';
import type { SignedInUser } from '../access/sessions.ts';
import { userSubject } from '../access/subject.ts';
import { lockUser } from '../access/users.ts';
import { signOutEverywhere } from '../access/sign-out.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { queuePasswordNotice, type RequestSource } from './notices.ts';

/**
 * Changes the password of a user who gave the one before. All other sessions and known devices than that of the change
 * end, and a mail says so. Returns false, and changes nothing, when the one before has been replaced meanwhile.
 */
export async function changePassword(
  ledger: Ledger,
  sealer: Sealer,
  change: {
    user: SignedInUser;
    /** The secret of the browser, which stays a known device if it was one. */
    device: string | undefined;
    proof: PasswordProof;
    password: string;
    source: RequestSource;
  },
): Promise<boolean> {
  const { user, device, proof, password, source } = change;
  const hash = await hashPassword(password);
  return inTransaction(ledger, async (tx) => {
    await lockUser(tx, user.id);
    if (!(await isCurrentPassword(tx, proof))) return false;
    await setPassword(tx, userSubject(user.id), hash, 'change');
    await signOutEverywhere(tx, user.id, { kept: user.session, keptDevice: device });
    await queuePasswordNotice(tx, sealer, user.email, source);
    return true;
  });
}
