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

/** The first bits of an address that name a site: a provider may give one customer a /48 of IPv6, and the least that is routed of IPv4 is a /24. */
const siteBits = { ipv4: 24, ipv6: 48 };

/** The site of a network that {@link networkOf} returned: the /24 of an IPv4 address, the /48 of an IPv6 network. Any other text stands for itself. */
export function siteOf(network: string): string {
  const address = network.split('/')[0] ?? '';
  if (!ipaddr.isValid(address)) return network;
  const kind = ipaddr.parse(address).kind();
  const family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address}/${siteBits[kind]}`).toString()}/${siteBits[kind]}`;
}

/** Proxies may add the port, in IPv6 after brackets. */
function withoutPort(text: string): string {
  const [, bracketed] = /^\[(.+)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? text.replace(/^([\d.]+):\d+$/, '$1');
}
