import type { FactorChange } from '../../../ledger/accounts/mail-outbox.ts';
import { queueFactorNotice } from '../../../ledger/accounts/notices.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { canSendMail } from '../../../platform/mail.ts';
import type { PageRequest } from '../page-request.ts';
import { signInSource } from '../sign-in-source.ts';

/** Tells a user by mail what happened to their second factors, in the transaction in which it happens; where mails can be sent. */
export async function announceFactor(
  ledger: Ledger,
  { context, deps: { sealer, settings } }: PageRequest,
  { email, change }: { email: string; change: FactorChange },
): Promise<void> {
  if (!canSendMail(settings)) return;
  await queueFactorNotice(ledger, sealer, { email, change, source: signInSource(context, settings) });
}
