import { resetFactors } from '../../ledger/access/factors/second-factors.ts';
import { queueResetNotice } from '../../ledger/accounts/notices.ts';
import { inTransaction } from '../../ledger/ledger.ts';
import { canSendMail } from '../../platform/mail.ts';
import { openSealer } from '../../platform/sealing.ts';
import { cliSettings } from '../cli-settings.ts';
import { withLedger } from '../with-ledger.ts';
import { requireUser } from './list.ts';
import { print } from '../print.ts';

/** `mintrail user reset-factors`. The user is told by mail where mails can be sent. Throws `not_found` and `invalid_settings`. */
export async function resetFactorsOf(email: string): Promise<void> {
  const settings = cliSettings();
  const { passkeys, hasTotp } = await withLedger(async (ledger) => {
    const user = await requireUser(ledger, email);
    return inTransaction(ledger, async (tx) => {
      const factors = await resetFactors(tx, user.id);
      if (canSendMail(settings)) await queueResetNotice(tx, openSealer(settings), user.email);
      return factors;
    });
  });
  const removed = `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'} and ${hasTotp ? 'the authenticator app' : 'no authenticator app'}`;
  print(`Removed ${removed}. ${email} is signed out everywhere; the password is still valid.`);
}
