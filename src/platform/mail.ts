import { createTransport } from 'nodemailer';
import { RetryError, StopError } from './errors.ts';
import { type Settings, settingVariable } from './settings.ts';

/** A mail of plain text. */
export interface Mail {
  /** Identifies it: a repetition has the same `Message-ID`, so that a mail server can leave it out. */
  id: string;
  /** An email address. */
  recipient: string;
  subject: string;
  text: string;
}

/** Sends mails one by one. */
export interface MailTransport {
  /**
   * Hands a mail over for good. Throws `mail_not_sent` when it may be tried again, and `mail_refused` when the server refuses this mail for good.
   * Neither message has an address or a text.
   */
  send(mail: Mail): Promise<void>;
}

/** How mails are sent by SMTP. */
export interface SmtpOptions {
  smtpUrl: string;
  mailFrom: string;
  /** The name of the sender. */
  serviceName: string;
}

const connectTimeoutMs = 10_000;
/** For a whole mail, however slowly a server answers. */
export const sendTimeoutMs = 60_000;

/** Whether mails can be sent: by SMTP, or into the folder of a sandbox. */
export function canSendMail({ smtpUrl, environment }: Pick<Settings, 'smtpUrl' | 'environment'>): boolean {
  return smtpUrl !== undefined || environment === 'sandbox';
}

/** Throws `mail_not_configured` where mails cannot be sent. */
export function requireMail(settings: Pick<Settings, 'smtpUrl' | 'environment'>): void {
  if (canSendMail(settings)) return;
  throw new StopError({
    code: 'mail_not_configured',
    message: `The operator has not configured mail (${settingVariable('smtpUrl')}), without which nobody can sign up or reset a password`,
  });
}

/** Sends by an SMTP server (RFC 5321). */
export function createSmtpTransport({ smtpUrl, mailFrom, serviceName }: SmtpOptions): MailTransport {
  const transport = createTransport({ ...optionsOf(new URL(smtpUrl)), disableFileAccess: true, disableUrlAccess: true });
  const host = mailFrom.slice(mailFrom.lastIndexOf('@') + 1);
  return {
    async send({ id, recipient, subject, text }) {
      try {
        await transport.sendMail({
          messageId: `<${id}@${host}>`,
          from: { name: serviceName, address: mailFrom },
          to: { name: '', address: recipient },
          subject,
          text,
          // No automatic answers (RFC 3834, section 5).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(sendTimeoutMs),
        });
      } catch (error) {
        throw mailError(error as SmtpError);
      }
    },
  };
}

/** Connects, and signs in where the address has a user, without sending anything. Throws `mail_not_sent`. */
export async function greetMailServer(smtpUrl: string): Promise<void> {
  const transport = createTransport(optionsOf(new URL(smtpUrl)));
  try {
    await transport.verify();
  } catch (error) {
    throw mailError(error as SmtpError);
  } finally {
    transport.close();
  }
}

/** A mail carries codes: outside of this machine it travels by TLS only, to a server that proves its name. */
function optionsOf(url: URL) {
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !isLoopback(host),
    ...(auth.user === '' ? {} : { auth }),
    tls: { minVersion: 'TLSv1.2' as const, rejectUnauthorized: !isLoopback(host) },
    connectionTimeout: connectTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: sendTimeoutMs,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** Without the server's words, which repeat the address. A refused sign-in is the operator's matter and not that of the mail. */
function mailError({ code = 'unknown', command = '', responseCode }: SmtpError): RetryError | StopError {
  const what = [code, command, responseCode].filter((part) => part !== undefined && part !== '').join(' ');
  const isRefused = responseCode !== undefined && responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  if (isRefused) return new StopError({ code: 'mail_refused', message: `The mail server refuses a mail for good (${what})` });
  return new RetryError({ code: 'mail_not_sent', message: `A mail could not be sent (${what})` });
}
