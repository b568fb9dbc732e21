import { hasHostedPages } from '../../ledger/access/applications/clients.ts';
import { canSendMail } from '../../platform/mail.ts';
import { settingVariable } from '../../platform/settings.ts';
import type { Warning, WarningDeps } from './warning.ts';

/** Warns of a missing mail server where people use the hosted pages: without mails nobody can sign up or reset a password. */
export async function mailWarnings({ settings, ledger }: WarningDeps): Promise<Warning[]> {
  if (canSendMail(settings) || !(await hasHostedPages(ledger))) return [];
  const variable = settingVariable('smtpUrl');
  const text = `${variable} is not set, and applications send people to the hosted pages: nobody can sign up or reset a password. Set ${variable} and ${settingVariable('mailFrom')} for the API and the common worker, and restart both`;
  return [{ kind: 'mail_not_configured', subject: variable, text }];
}
