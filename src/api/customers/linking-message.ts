import type { LowerAddress } from '../../platform/addresses.ts';
import { type Chain, chainName } from '../../platform/chains.ts';
import { baseUrl, type Settings } from '../../platform/settings.ts';
import { linkMessage } from '../../../client/messages.ts';

/** How far the signer's clock may be ahead of ours. */
const clockSkewMs = 5 * 60_000;

/** For how long a linking message is accepted after it was issued: time enough to sign it with others, and short against a message that is found later. */
const maxAgeMs = 3_600_000;

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`;

/** The lines of a linking message (docs/api.md, Linking message). */
const lines = new RegExp(
  [
    `^${linkMessage.replaceAll('.', String.raw`\.`)}`,
    '',
    String.raw`Service: (?<service>\S{1,260})`,
    'Profile: (?<profile>[0-9a-fA-F-]{36})',
    'Address: (?<address>0x[0-9a-fA-F]{40})',
    'Chain: (?<chain>[a-z]{1,20}(?: [a-z]{1,20})?)',
    'Nonce: (?<nonce>[0-9a-zA-Z]{8,128})',
    `Issued At: (?<issuedAt>${time})$`,
  ].join(String.raw`\n`),
);

/** What a linking message must name. */
export interface LinkingBinding {
  settings: Settings;
  profile: string;
  address: LowerAddress;
  chain: Chain;
}

/** The parts of a valid linking message that make it good once. */
export interface LinkingStatement {
  nonce: string;
  acceptedUntil: string;
}

/** Whether a text has the form of a message that links an address: the fixed sentence, or the lines of a linking message. */
export function isLinkingText(message: string): boolean {
  return message === linkMessage || lines.test(message);
}

/** Reads a linking message and checks every line: it is for this service, profile, address and chain, and was issued just now. */
export function readLinkingMessage(
  message: string,
  binding: LinkingBinding,
  now: number = Date.now(),
): LinkingStatement | { problem: string } {
  const { service = '', profile, address, chain = '', nonce = '', issuedAt = '' } = lines.exec(message)?.groups ?? {};
  const { host } = new URL(baseUrl(binding.settings));
  const at = Date.parse(issuedAt);
  if (service.toLowerCase() !== host) return { problem: `Service must be ${host}` };
  if (profile?.toLowerCase() !== binding.profile) return { problem: 'Profile must be the profile to which the address is linked' };
  if (address?.toLowerCase() !== binding.address) return { problem: 'Address must be the address that is linked' };
  if (chainName(chain) !== binding.chain) return { problem: `Chain must be ${binding.chain}` };
  // An invalid date compares as false, so each comparison states what must hold.
  if (!(at <= now + clockSkewMs)) return { problem: 'Issued At is in the future' };
  if (!(at >= now - maxAgeMs - clockSkewMs)) return { problem: 'Issued At is too long ago' };
  return { nonce, acceptedUntil: new Date(at + maxAgeMs + clockSkewMs).toISOString() };
}
