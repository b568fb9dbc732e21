import {
  claimMails,
  type ClaimedMail,
  deleteMail,
  deleteUnsentMails,
  mailAttempts,
  openMail,
  postponeMail,
  recordSentMail,
} from '../../ledger/accounts/mail-outbox.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { mailQueue } from '../../ledger/wake-ups.ts';
import { createMailCatcher } from '../../platform/caught-mail.ts';
import { messageOf, MintrailError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { createSmtpTransport, type MailTransport, sendTimeoutMs } from '../../platform/mail.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';
import { mailText } from './mail-text.ts';

/** Between two sweeps: people wait for a code. */
const intervalMs = 5_000;

/** Mails that are sent at the same time, each on a connection of its own. */
const batchSize = 10;

/** Longer than an attempt may take. */
const leaseSeconds = sendTimeoutMs / 1_000 + 30;

/** Mails that one turn deletes because they were never sent. */
const deletedPerTurn = 500;

/** What the delivery of mails needs. */
export interface MailDeps {
  settings: Settings;
  ledger: Ledger;
  sealer: Sealer;
  log: Log;
  alarms: Alarms;
  waker: Waker;
}

/** Sends the mails of the outbox by SMTP, or in a sandbox without a server into a folder. Where there is no way to send any, it only clears the outbox. */
export function startMailDelivery({ settings, ledger, sealer, log, alarms, waker }: MailDeps): Loop {
  const transport = openTransport(settings);
  const turn = async (): Promise<void> => {
    const deleted = await deleteUnsentMails(ledger, deletedPerTurn);
    for (const { id, correlationId } of deleted)
      log.warn({ mailId: id, correlationId }, 'a mail was given up: it was too old, or tried too often');
    if (transport) await sendDueMails({ settings, ledger, sealer, log, alarms, transport });
  };
  return startLoop({ name: 'mails', intervalMs, log, turn, wokenBy: [(wake) => waker.listen(mailQueue, wake)] });
}

/** Sends all mails that are due, some at a time. An alarm lasts from a failed attempt to the next mail that is sent. */
export async function sendDueMails(deps: Omit<MailDeps, 'waker'> & { transport: MailTransport }): Promise<void> {
  for (;;) {
    const mails = await claimMails(deps.ledger, { limit: batchSize, leaseSeconds });
    await Promise.all(mails.map((mail) => sendMail(deps, mail)));
    if (mails.length < batchSize) return;
  }
}

async function sendMail(
  { settings, ledger, sealer, log, alarms, transport }: Omit<MailDeps, 'waker'> & { transport: MailTransport },
  mail: ClaimedMail,
): Promise<void> {
  const keys = { mailId: mail.id, correlationId: mail.correlationId, attempt: mail.attempt };
  try {
    await transport.send({ id: mail.id, recipient: mail.recipient, ...mailText(openMail(sealer, mail), settings) });
  } catch (error) {
    const isRetryable = !(error instanceof MintrailError && error.code === 'mail_refused');
    const isLast = !isRetryable || mail.attempt >= mailAttempts;
    log.warn({ ...keys, reason: messageOf(error) }, isLast ? 'a mail was given up' : 'a mail waits');
    if (isRetryable) alarms.raise('mail_not_sent', 'smtp', messageOf(error));
    return isLast ? deleteMail(ledger, mail.id) : postponeMail(ledger, mail);
  }
  log.info(keys, 'mail sent');
  alarms.clear('mail_not_sent', 'smtp');
  await recordSentMail(ledger, mail.id);
}

function openTransport(settings: Settings): MailTransport | undefined {
  const { smtpUrl, mailFrom, environment } = settings;
  if (smtpUrl !== undefined && mailFrom !== undefined) return createSmtpTransport({ ...settings, smtpUrl, mailFrom });
  return environment === 'sandbox' ? createMailCatcher(settings) : undefined;
}
