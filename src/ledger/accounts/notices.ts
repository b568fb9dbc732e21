import { countSignInAttempt } from '../access/sign-in-attempts.ts';
import { findUser } from '../access/users.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Ledger } from '../ledger.ts';
import type { SignInSource } from '../access/sessions.ts';
import { type FactorChange, tryQueueMail } from './mail-outbox.ts';

/** Where the request came from that a notice is about, and its correlation id. */
export interface RequestSource extends SignInSource {
  correlationId: string;
}

/** A notice is worth reading a day later, too. */
const worthMinutes = 24 * 60;

/** Tells a user by mail that somebody signed in on a browser that is not known; a few times a day at most. */
export async function queueSignInNotice(ledger: Ledger, sealer: Sealer, user: string, source: RequestSource): Promise<void> {
  const known = await findUser(ledger, user);
  if (!known || (await countSignInAttempt(ledger, [{ kind: 'notice', name: user }])) > 0) return;
  await queueNotice(ledger, sealer, known.email, { kind: 'new-sign-in' }, source);
}

/** Tells a user by mail that the password was changed. */
export async function queuePasswordNotice(ledger: Ledger, sealer: Sealer, email: string, source: RequestSource): Promise<void> {
  await queueNotice(ledger, sealer, email, { kind: 'password-changed' }, source);
}

/** Tells a user by mail that the password was set anew by a code from a mail, what ended with it, and which addresses stay linked. */
export async function queueResetByMailNotice(
  ledger: Ledger,
  sealer: Sealer,
  email: string,
  { addresses, ...source }: RequestSource & { addresses: LowerAddress[] },
): Promise<void> {
  await queueNotice(ledger, sealer, email, { kind: 'password-reset', addresses }, source);
}

/** Tells a user by mail that a second factor was added, removed or used up. */
export async function queueFactorNotice(
  ledger: Ledger,
  sealer: Sealer,
  { email, change, source }: { email: string; change: FactorChange; source: RequestSource },
): Promise<void> {
  await queueNotice(ledger, sealer, email, { kind: change }, source);
}

/** Tells a user by mail that the operator has removed all second factors. */
export async function queueResetNotice(ledger: Ledger, sealer: Sealer, email: string): Promise<void> {
  await tryQueueMail(ledger, sealer, { recipient: email, content: { kind: 'factors-reset' }, worthMinutes });
}

/** A full outbox leaves the notice out: it must not keep anybody from signing in. */
async function queueNotice(
  ledger: Ledger,
  sealer: Sealer,
  recipient: string,
  notice: { kind: 'new-sign-in' | 'password-changed' | FactorChange } | { kind: 'password-reset'; addresses: LowerAddress[] },
  { browser, network, correlationId }: RequestSource,
): Promise<void> {
  await tryQueueMail(ledger, sealer, {
    recipient,
    content: { ...notice, at: new Date().toISOString(), browser, network },
    worthMinutes,
    correlationId,
  });
}
