import ipaddr from 'ipaddr.js';

/** The first bits of an IPv6 address that name a network: a customer of a provider usually has a /64. */
const ipv6NetworkBits = 64;

/**
 * The network that a request came from: that of the connection, or behind `trustedProxies` proxies the one that the outermost of them
 * saw. What stands further left in `X-Forwarded-For` was written by the client.
 */
export function networkOfRequest({
  remoteAddress = '',
  forwardedFor = '',
  trustedProxies,
}: {
  remoteAddress?: string | undefined;
  forwardedFor?: string | undefined;
  trustedProxies: number;
}): string {
  if (trustedProxies === 0) return networkOf(remoteAddress);
  const forwarded = forwardedFor.split(',').map((part) => part.trim());
  return networkOf(forwarded.at(-trustedProxies) || remoteAddress);
}

/** An IPv4 address, or the /64 network of an IPv6 address, with or without a port. Any other text stands for itself, cut short. */
export function networkOf(text: string): string {
  const address = withoutPort(text);
  if (!ipaddr.isValid(address)) return text.slice(0, 45);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().split('%')[0]}/${ipv6NetworkBits}`).toString()}/${ipv6NetworkBits}`;
}

/** Proxies may add the port, in IPv6 after brackets. */
function withoutPort(text: string): string {
  const [, bracketed] = /^\[(.+)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? text.replace(/^([\d.]+):\d+$/, '$1');
}
