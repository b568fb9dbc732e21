import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { addressKind } from './network-address.ts';

/** Decides where webhooks may go: to the own machine only in the sandbox. */
export type Environment = 'production' | 'sandbox';

/** Finds the addresses of a host name, or throws an error with a code of `node:dns`. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Longest URL of a subscription: what servers commonly accept as a request line. */
const maxUrlLength = 2_000;

/** A URL that webhooks are not sent to. The message says why, as a clause about the URL for the subscriber. */
export class TargetError extends Error {}

/**
 * A subscription's URL in its canonical spelling: that of WHATWG, in which numbers in any base have become an address,
 * and without a fragment. Throws `TargetError` for a URL that is not permitted, as far as that shows without the network.
 */
export function targetUrl(text: string, environment: Environment): URL {
  if (text.length > maxUrlLength) throw new TargetError(`must be at most ${maxUrlLength} characters long`);
  const url = URL.parse(text);
  if (!url) throw new TargetError('must be an absolute URL, such as https://example.com/webhooks');
  if (environment === 'production' && url.protocol !== 'https:') throw new TargetError('must begin with https://');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TargetError('must begin with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new TargetError('must not contain a user name or a password: deliveries are signed');
  if (url.port === '0') throw new TargetError('must not name port 0');
  url.hash = '';
  if (url.href.length > maxUrlLength) throw new TargetError(`must be at most ${maxUrlLength} characters long`);
  const address = literalAddress(url);
  if (address !== undefined) assertPermitted(address, url, environment);
  return url;
}

/**
 * The addresses that a delivery may connect to: all addresses of the URL's host, each of which must be permitted. A single
 * one that is not makes the target invalid, because an honest name has none. Callers must connect to these addresses: a
 * second look-up could have another result. Throws `TargetError`, and what `resolve` throws.
 */
export async function permittedAddresses(url: URL, environment: Environment, resolve: Resolve): Promise<LookupAddress[]> {
  const literal = literalAddress(url);
  const addresses = literal === undefined ? await resolve(url.hostname) : [literal];
  if (addresses.length === 0) throw new TargetError('its host name has no address');
  for (const address of addresses) assertPermitted(address, url, environment);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

function assertPermitted(address: string, { protocol }: URL, environment: Environment): void {
  const kind = addressKind(address);
  if (kind === 'loopback' && environment === 'sandbox') return;
  if (kind !== 'public')
    throw new TargetError(`leads to ${kind === 'loopback' ? 'a loopback' : kind} address, which webhooks do not go to`);
  if (protocol === 'http:') throw new TargetError('must begin with https:// unless it leads to a loopback address');
}

/** The IP address that a URL has in place of a host name. */
function literalAddress({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? undefined : address;
}
