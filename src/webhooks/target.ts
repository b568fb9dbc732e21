import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { placeOf } from './network-address.ts';

/** Where webhooks may go: only in the sandbox to the own machine, too. */
export type Environment = 'production' | 'sandbox';

/** Finds the addresses of a host name, or throws an error with a code of `node:dns`. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Longest URL of a subscription: what servers commonly take as a request line. */
const mostCharacters = 2_000;

/** A URL that no webhook goes to, with the reason as it is told to who gave it. */
export class Refused extends Error {}

/**
 * A subscription's URL in its one spelling: as WHATWG has it, so that numbers in any base have become an address, without
 * a fragment. Throws `Refused` for what can be told without the network.
 */
export function targetUrl(given: string, environment: Environment): URL {
  if (given.length > mostCharacters) throw new Refused(`must be at most ${mostCharacters} characters long`);
  const url = URL.parse(given);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Refused('must be an absolute URL, such as https://example.com/webhooks');
  if (url.protocol === 'http:' && environment === 'production') throw new Refused('must begin with https://');
  if (url.username !== '' || url.password !== '') throw new Refused('must not contain a user name or a password: deliveries are signed');
  if (url.port === '0') throw new Refused('must not name port 0');
  url.hash = '';
  if (url.href.length > mostCharacters) throw new Refused(`must be at most ${mostCharacters} characters long`);
  const literal = literalOf(url);
  if (literal !== undefined) requirePlace(literal, url, environment);
  return url;
}

/**
 * The addresses that a delivery may connect to: all that the name has, when each of them is permitted. One that is not
 * refuses the name, since an honest one has no such address. Nobody may look the name up again: the answer could be another.
 */
export async function permittedAddresses(url: URL, environment: Environment, resolve: Resolve): Promise<LookupAddress[]> {
  const literal = literalOf(url);
  const addresses = literal === undefined ? await resolve(url.hostname) : [literal];
  if (addresses.length === 0) throw new Refused('its host name has no address');
  for (const address of addresses) requirePlace(address, url, environment);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

function requirePlace(address: string, { protocol }: URL, environment: Environment): void {
  const place = placeOf(address);
  if (place === 'loopback' && environment === 'sandbox') return;
  if (place !== 'public') throw new Refused(`leads to ${place === 'loopback' ? 'a loopback' : place} address, which webhooks do not go to`);
  if (protocol === 'http:') throw new Refused('must begin with https:// unless it leads to a loopback address');
}

function literalOf({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? undefined : address;
}
