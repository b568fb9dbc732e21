import { hashPassword, isCurrentPassword, type PasswordProof, setPassword } from '../access/passwords.ts';
import type { SignedInUser } from '../access/sessions.ts';
import { lockUser } from '../access/users.ts';
import { signOutEverywhere } from '../access/sign-out.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { queuePasswordNotice, type RequestSource } from './notices.ts';

/**
 * Changes the password of a user who gave the one before. All other sessions and all known devices end, and a mail says so. Returns false, and
 * changes nothing, when the one before has been replaced meanwhile.
 */
export async function changePassword(
  ledger: Ledger,
  sealer: Sealer,
  { user, proof, password, source }: { user: SignedInUser; proof: PasswordProof; password: string; source: RequestSource },
): Promise<boolean> {
  const hash = await hashPassword(password);
  return inTransaction(ledger, async (tx) => {
    await lockUser(tx, user.id);
    if (!(await isCurrentPassword(tx, proof))) return false;
    await setPassword(tx, user.id, hash, 'change');
    await signOutEverywhere(tx, user.id, { kept: user.session });
    await queuePasswordNotice(tx, sealer, user.email, source);
    return true;
  });
}
