import { sql } from 'kysely';
import { hashPassword, setPassword } from '../access/passwords.ts';
import { userSubject } from '../access/subject.ts';
import { findUserByEmail, lockUser } from '../access/users.ts';
import { signOutEverywhere } from '../access/sign-out.ts';
import { revokeGrantsOf } from '../access/token-revocation.ts';
import { ensureOwnProfile } from '../customers/own-profile.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import { listOwnAddresses } from '../customers/own-addresses.ts';
import { endHostedRequests, releaseAddressesLinkedBy } from '../customers/release-address.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { type CodeEntry, type CodeProblem, codeMinutes, createEmailCode, takeCode, tryCode } from './email-codes.ts';
import { queueMail } from './mail-outbox.ts';
import { queueResetByMailNotice, type RequestSource } from './notices.ts';

/**
 * Sends a code by which a new password may be set, to the address as the user has it: one that is spelled otherwise may be another's mailbox. An address without an account is sent a mail as well, in the same time: nobody else
 * learns whether there is one. Throws `mail_outbox_full`, `rate_limited`.
 */
export async function beginReset(
  ledger: Ledger,
  sealer: Sealer,
  { browserSecret, email, ...source }: { browserSecret: string; email: string; correlationId: string; network?: string },
): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const user = await findUserByEmail(tx, email);
    const codePurpose = user ? 'reset' : 'no-account';
    const code = await createEmailCode(tx, sealer, { browserSecret, purpose: 'reset', email, mailedAs: codePurpose });
    const content = user ? { kind: 'reset-code' as const, code } : { kind: 'no-account' as const };
    await queueMail(tx, sealer, { recipient: user?.email ?? email, content, worthMinutes: codeMinutes, codePurpose, ...source });
  });
}

/** A code that was entered with the new password, and from where. */
export interface PasswordReset extends Omit<CodeEntry, 'purpose'>, RequestSource {
  password: string;
}

/**
 * Sets the password of whoever received the code. All sessions, known devices, consents and tokens of the user end: whoever knew the
 * password before may have made them; so does what waits to be linked on the hosted pages. If nobody had proven the e-mail address before, so do linked addresses: a stranger may have linked them, and
 * would receive the owner's money. Returns the user and the addresses that stay linked, which the user is told to look at, or why there is no user.
 */
export async function completeReset(
  ledger: Ledger,
  sealer: Sealer,
  reset: PasswordReset,
): Promise<{ user: string; addresses: LowerAddress[] } | CodeProblem> {
  const entry = { browserSecret: reset.browserSecret, code: reset.code, purpose: 'reset' as const };
  const problem = await tryCode(ledger, entry);
  if (problem !== undefined) return problem;
  const hash = await hashPassword(reset.password);
  return inTransaction(ledger, async (tx) => {
    const waiting = await takeCode(tx, entry);
    const user = waiting && (await findUserByEmail(tx, waiting.email));
    if (!user) return 'ended';
    await lockUser(tx, user.id);
    await endHostedRequests(tx, user.id);
    await revokeGrantsOf(tx, user.id);
    if (user.emailVerifiedAt === null) {
      await releaseAddressesLinkedBy(tx, user.id);
      await tx
        .updateTable('users')
        .set({ emailVerifiedAt: sql`now()` })
        .where('id', '=', user.id)
        .execute();
    }
    await setPassword(tx, userSubject(user.id), hash, 'reset');
    await ensureOwnProfile(tx, user.id);
    await signOutEverywhere(tx, user.id);
    const addresses = (await listOwnAddresses(tx, user.id)).map(({ address }) => address);
    await queueResetByMailNotice(tx, sealer, user.email, { ...reset, addresses });
    return { user: user.id, addresses };
  });
}
