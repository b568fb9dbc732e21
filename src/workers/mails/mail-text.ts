import { codeMinutes } from '../../ledger/accounts/email-codes.ts';
import type { FactorChange, MailContent } from '../../ledger/accounts/mail-outbox.ts';
import { baseUrl, type Settings } from '../../platform/settings.ts';
import { shortAddresses } from '../../platform/addresses.ts';

type TextSettings = Pick<Settings, 'serviceName' | 'baseUrl' | 'port'>;

/**
 * The subject and the text of a mail. What others have entered, such as a name, is never in it: mails must not carry anybody's
 * advertisement. A code is in the text only, because subjects are shown on locked screens and in lists.
 */
export function mailText(content: MailContent, settings: TextSettings): { subject: string; text: string } {
  const { serviceName } = settings;
  const account = `${baseUrl(settings)}/account`;
  switch (content.kind) {
    case 'sign-up-code':
      return {
        subject: `Your code for ${serviceName}`,
        text: lines(
          `Your code is ${content.code}. Enter it on the page on which you created your account. It is valid for ${codeMinutes} minutes.`,
          `If you did not create an account at ${serviceName}, ignore this mail: without the code there is none. Give the code to nobody.`,
        ),
      };
    case 'account-exists':
      return {
        subject: `You have an account at ${serviceName} already`,
        text: lines(
          `Somebody, perhaps you, wanted to create an account at ${serviceName} with this email address. There is one already.`,
          `Sign in at ${account}/sign-in. If you do not know the password, set a new one at ${account}/reset-password.`,
          'If it was not you, ignore this mail: nothing has changed.',
        ),
      };
    case 'reset-code':
      return {
        subject: 'Your code for a new password',
        text: lines(
          `Your code is ${content.code}. Enter it on the page on which you asked for a new password. It is valid for ${codeMinutes} minutes.`,
          `If you did not ask for a new password at ${serviceName}, ignore this mail: your password is still valid. Give the code to nobody.`,
        ),
      };
    case 'no-account':
      return {
        subject: `There is no account of yours at ${serviceName}`,
        text: lines(
          `Somebody, perhaps you, asked for a new password at ${serviceName}. There is no account with this email address.`,
          `You may have signed up with another address. You can create an account at ${account}/sign-up. If it was not you, ignore this mail.`,
        ),
      };
    case 'new-sign-in':
      return {
        subject: `New sign-in to your account at ${serviceName}`,
        text: lines(
          `Somebody signed in to your account on a browser on which you had not signed in before: ${sourceOf(content)}.`,
          `If it was you, there is nothing to do. If not, set a new password at ${account}/reset-password, which signs out all browsers.`,
        ),
      };
    case 'passkey-added':
    case 'passkey-removed':
    case 'authenticator-added':
    case 'authenticator-removed':
    case 'recovery-codes-made':
    case 'recovery-code-used':
      return {
        subject: `${factorTexts[content.kind]}: your account at ${serviceName}`,
        text: lines(
          `${factorTexts[content.kind]}: ${sourceOf(content)}.`,
          `If it was not you, somebody has your password: set a new one at ${account}/reset-password at once, which signs out all browsers, then look at ${account}/factors.`,
        ),
      };
    case 'factors-reset':
      return {
        subject: `Your second factors at ${serviceName} were removed`,
        text: lines(
          `The operator of ${serviceName} has removed your passkeys, your authenticator app and your recovery codes, and signed you out everywhere.`,
          `Your password alone opens your account now. If you did not ask for this, set a new password at ${account}/reset-password and tell the operator.`,
        ),
      };
    case 'password-reset':
      return {
        subject: `You have a new password at ${serviceName}`,
        text: lines(
          `A new password was set for your account by a code from a mail: ${sourceOf(content)}. All browsers were signed out.`,
          'All applications to which you gave access have lost it. Allow those again that you use.',
          ...(content.addresses.length === 0
            ? []
            : [
                `These addresses stay linked to your account, and whoever has the key of one may sign in as you: ${shortAddresses(content.addresses)}. Remove any that is not yours at ${account}/addresses.`,
              ]),
          `If it was not you, somebody reads your mail: secure your mailbox, set a new password at ${account}/reset-password, and tell the operator of ${serviceName}.`,
        ),
      };
    case 'password-changed':
      return {
        subject: `Your password at ${serviceName} was changed`,
        text: lines(
          `The password of your account was changed: ${sourceOf(content)}. All other browsers were signed out. Applications to which you gave access keep it: look at them at ${account}/applications.`,
          `If it was not you, set a new one at ${account}/reset-password at once, and tell the operator of ${serviceName}.`,
        ),
      };
  }
}

const factorTexts: Record<FactorChange, string> = {
  'passkey-added': 'A passkey was added',
  'passkey-removed': 'A passkey was removed',
  'authenticator-added': 'An authenticator app was added',
  'authenticator-removed': 'An authenticator app was removed',
  'recovery-codes-made': 'New recovery codes were made',
  'recovery-code-used': 'A recovery code was used',
};

function sourceOf({ at, browser, network }: { at: string; browser: string; network: string }): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC, ${browser}, from the network address ${network}`;
}

function lines(...paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
