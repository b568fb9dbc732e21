import { type MailContent, openMail } from '../../../src/ledger/accounts/mail-outbox.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSealer } from '../../../src/platform/sealing.ts';
import type { Settings } from '../../../src/platform/settings.ts';

/** Settings of a mail server, as production needs them. No worker of a test uses it. */
export const mailServer = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@money.example' };

interface MailBox {
  ledger: Ledger;
  settings: Settings;
}

/** What the mails in the outbox say to an address, the newest first. No worker takes them away. */
export async function mailsTo({ ledger, settings }: MailBox, email: string): Promise<MailContent[]> {
  const rows = await ledger
    .selectFrom('mails')
    .where('recipient', '=', email)
    .orderBy('createdAt', 'desc')
    .select(['id', 'content'])
    .execute();
  const sealer = openSealer(settings);
  return rows.map((row) => openMail(sealer, row));
}

/** The code in the newest mail to an address. */
export async function codeFor(box: MailBox, email: string): Promise<string> {
  const [mail] = await mailsTo(box, email);
  if (!mail || !('code' in mail)) throw new Error(`no code was sent to ${email}: ${mail?.kind}`);
  return mail.code;
}
