import { hashSecret } from '../../../ledger/access/applications/secrets.ts';
import { isKnownDevice } from '../../../ledger/access/known-devices.ts';
import { type AttemptSubject, countMailAttempt, countSignInAttempt, waitText } from '../../../ledger/access/sign-in-attempts.ts';
import { siteOf } from '../../../platform/http/client-network.ts';
import { clientNetwork } from '../../middlewares/client-network.ts';
import { deviceSecret } from '../browser.ts';
import type { FactorMethod } from '../factors/check-factor.ts';
import type { PageRequest } from '../page-request.ts';

/**
 * The counts of attempts to sign in to an account: on a device that its owner has used, the device's own; otherwise those of the network
 * address, at this account and in all.
 */
export async function attemptSubjects({ context, deps }: PageRequest, account: string): Promise<AttemptSubject[]> {
  const device = deviceSecret(context, deps.settings);
  if (device !== undefined && (await isKnownDevice(deps.ledger, device, account)))
    return [{ kind: 'device', name: `${account} ${hashSecret(device).toString('base64url')}` }];
  const source = clientNetwork(context, deps.settings.trustedProxies);
  return [
    { kind: 'account', name: `${account} ${source}` },
    { kind: 'source', name: source },
  ];
}

/**
 * The counts of attempts to give a second factor, which a right password does not reset. Codes of an app, which can be guessed, are also counted
 * for the account alone, except on a known device.
 */
export async function factorSubjects(pageRequest: PageRequest, account: string, method: FactorMethod): Promise<AttemptSubject[]> {
  const subjects = await attemptSubjects(pageRequest, account);
  const counted = subjects.map(({ kind, name }) => ({ kind, name: kind === 'source' ? name : `factor ${name}` }));
  const isKnown = subjects.some(({ kind }) => kind === 'device');
  return method === 'code' && !isKnown ? [...counted, { kind: 'codes', name: account }] : counted;
}

/**
 * Counts a mail that somebody asks for to an address that may be another's, except on a device that its owner has used. Returns a message when there is
 * a time to wait, otherwise the network whose turn the mail takes; none for such a device. How many mails an address gets is bounded elsewhere, whoever
 * asks for them (src/ledger/accounts/email-codes.ts).
 */
export async function countMail(
  { browser, context, deps }: PageRequest,
  address: string,
): Promise<{ tooMany: string } | { network?: string }> {
  const device = deviceSecret(context, deps.settings);
  if (device !== undefined && (await isKnownDevice(deps.ledger, device, address))) return {};
  const network = clientNetwork(context, deps.settings.trustedProxies);
  const browserName = hashSecret(browser.secret).toString('base64url');
  const tooMany = waitMessage(await countMailAttempt(deps.ledger, { browser: browserName, network }));
  return tooMany === undefined ? { network: siteOf(network) } : { tooMany };
}

/** Counts an attempt. Returns a message when there were too many. */
export async function countAttempt({ deps }: PageRequest, subjects: readonly AttemptSubject[]): Promise<string | undefined> {
  return waitMessage(await countSignInAttempt(deps.ledger, subjects));
}

function waitMessage(seconds: number): string | undefined {
  return seconds === 0 ? undefined : waitText(seconds);
}
