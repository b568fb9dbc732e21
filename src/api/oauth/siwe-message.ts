import { ParsedMessage } from '@spruceid/siwe-parser';
import { type Address, getAddress } from 'viem';
import type { AuthorizationClient } from '../../ledger/access/applications/clients.ts';
import { lowerAddress } from '../../platform/addresses.ts';
import { type Chain, chainIds, chainsOf } from '../../platform/chains.ts';
import type { Settings } from '../../platform/settings.ts';
import { baseUrl } from '../../platform/settings.ts';

/** More than a message with three resources and a statement needs. */
const maxMessageCharacters = 8_192;

/** A message with a statement and three resources has 17. Each line of the list of resources costs the parser several times what its length does. */
const maxMessageLines = 40;

/** More than any library generates; the ledger stores it. */
const maxNonceCharacters = 128;

/** How far the signer's clock may be ahead of ours. */
const clockSkewMs = 5 * 60_000;

/** How long a message may be valid. Clients choose minutes to a day; the ledger keeps each nonce until its message expires. */
const longestValidityMs = 7 * 24 * 3_600_000;

/** The content of a valid message. */
export interface SiweStatement {
  /** EIP-55 form. */
  address: Address;
  chain: Chain;
  nonce: string;
  expiresAt: Date;
}

/** What a message must be bound to: this client at this redirect URI and no other. */
export interface SiweBinding {
  settings: Settings;
  client: AuthorizationClient;
  redirectUri: string;
}

/** The content of a valid message, or what is wrong with it. */
export type SiweReading = { statement: SiweStatement } | { problem: string };

/**
 * Parses an EIP-4361 message and checks every line (docs/api.md, Wallet sign-in): it is for this client's redirect URI, is valid now, and
 * names exactly the resources that a user of this client agrees to.
 */
export function readSiweMessage(message: string, binding: SiweBinding, now: number = Date.now()): SiweReading {
  const parsed = parse(message);
  if (typeof parsed === 'string') return { problem: parsed };
  const problem = bindingProblem(parsed, binding) ?? timeProblem(parsed, now) ?? resourceProblem(parsed, binding);
  if (problem !== undefined) return { problem };
  if (parsed.nonce.length > maxNonceCharacters) return { problem: `Nonce must be at most ${maxNonceCharacters} characters long` };
  const chain = chainsOf(binding.settings.networks).find((name) => chainIds[name] === parsed.chainId);
  if (chain === undefined) return { problem: `Chain ID ${parsed.chainId} is not that of a chain that is configured here` };
  const expiresAt = new Date(parsed.expirationTime ?? '');
  return { statement: { address: parsed.address as Address, chain, nonce: parsed.nonce, expiresAt } };
}

function parse(message: string): ParsedMessage | string {
  if (message.length > maxMessageCharacters) return `must be at most ${maxMessageCharacters} characters long`;
  if (message.split('\n', maxMessageLines + 1).length > maxMessageLines) return `must have at most ${maxMessageLines} lines`;
  try {
    const parsed = new ParsedMessage(withChecksum(message));
    return parsed.version === '1' ? parsed : 'Version must be 1';
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    return `is not a message of EIP-4361 (${first.startsWith('Invalid message') ? 'its lines are not those of the grammar' : first})`;
  }
}

/**
 * The message with its address in the form of EIP-55, which the parser demands. EIP-4361 says that it should have that form, and libraries write
 * what they are given; whether the address is right, the signature tells.
 */
function withChecksum(message: string): string {
  const secondLine = /(?<=^[^\n]*\n)0x[0-9a-f]{40}(?=\n)/i;
  return message.replace(secondLine, (address) => getAddress(lowerAddress(address)));
}

function bindingProblem({ scheme, domain, uri }: ParsedMessage, { redirectUri }: SiweBinding): string | undefined {
  const redirect = URL.parse(redirectUri);
  if (!redirect || redirect.host === '') return 'cannot be bound to a redirect URI that has no host';
  if (hostOf(domain, redirect) !== redirect.host) return `must be for the domain of the redirect URI, ${redirect.host}`;
  if (scheme !== undefined && `${scheme}:` !== redirect.protocol) return `must have the scheme of the redirect URI, ${redirect.protocol}`;
  return uri === redirectUri ? undefined : 'URI must be the redirect URI';
}

/** The host of an authority, without the port that its scheme implies; `undefined` for one with a user, which redirect URIs have not. */
function hostOf(authority: string, { protocol }: URL): string | undefined {
  const url = URL.parse(`${protocol}//${authority}`);
  return url?.username === '' ? url.host : undefined;
}

function timeProblem({ issuedAt, expirationTime, notBefore }: ParsedMessage, now: number): string | undefined {
  if (expirationTime === undefined) return 'Expiration Time is required';
  // An invalid date compares as false, so each comparison states what must hold.
  if (!(Date.parse(expirationTime) > now)) return 'Expiration Time has passed';
  if (!(Date.parse(expirationTime) <= now + longestValidityMs + clockSkewMs)) return 'Expiration Time is more than 7 days ahead';
  if (!(Date.parse(issuedAt) <= now + clockSkewMs)) return 'Issued At is in the future';
  if (!(Date.parse(issuedAt) >= now - longestValidityMs)) return 'Issued At is more than 7 days ago';
  return notBefore === undefined || Date.parse(notBefore) <= now + clockSkewMs ? undefined : 'Not Before has not come yet';
}

/** The resources are a service's URI with the application's privacy policy and terms, in any order. */
function resourceProblem({ resources = [] }: ParsedMessage, { settings, client }: SiweBinding): string | undefined {
  const { privacyPolicyUrl, termsUrl } = client;
  if (privacyPolicyUrl === null || termsUrl === null)
    return 'cannot name its resources: the application has registered no privacy policy or no terms, which a sign-in by a wallet needs';
  const services = [`${baseUrl(settings)}/siwe`, ...settings.siweResources];
  const isExact = services.some((service) => isSameSet(resources, [service, privacyPolicyUrl, termsUrl]));
  return isExact ? undefined : `Resources must be exactly ${services.join(' or ')}, and ${privacyPolicyUrl} and ${termsUrl}`;
}

function isSameSet(resources: readonly string[], expected: readonly string[]): boolean {
  const [have, need] = [new Set(resources), new Set(expected)];
  // Policy and terms may be one page: a list of three has it twice.
  const isListOnce = resources.length === need.size || resources.length === expected.length;
  return isListOnce && have.size === need.size && resources.every((resource) => need.has(resource));
}
