import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The kind of an IP address: on the public internet, on this machine, or one that no webhook is sent to. The latter is
 * described by article and adjective, such as `a private`, for the message "leads to … address".
 */
export type AddressKind = 'public' | 'loopback' | (string & {});

/** The kind of an IPv4 or IPv6 address. A text that is not an address is `an unreadable`. */
export function addressKind(address: string): AddressKind {
  // ipaddr.js reads more spellings than a socket does, such as 010.0.0.1.
  if (isIP(address) === 0) return 'an unreadable';
  const parsed = ipaddr.parse(address);
  if (parsed.range() === 'loopback') return 'loopback';
  if (parsed instanceof ipaddr.IPv4) return parsed.toString() === azureMetadata ? 'a reserved' : kindOfRange(parsed.range());
  if (parsed.match(nat64)) return kindBehindNat64(parsed);
  return parsed.match(globalUnicast) ? kindOfRange(parsed.range()) : (adjectives[parsed.range()] ?? 'a reserved');
}

/**
 * Global unicast addresses of IPv6 (RFC 4291, section 2.4; the IANA has assigned no others). All other ranges are not
 * public: IPv4-mapped, IPv4-compatible, translated, unique local, site local and multicast addresses.
 */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** IPv4 addresses translated by NAT64 (RFC 6052), the only way to an IPv4 host from a network of IPv6 alone. */
const nat64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** Azure serves the metadata of its machines at this address, which looks public. */
const azureMetadata = '168.63.129.16';

/** By the ranges of ipaddr.js. */
const adjectives: Record<string, string> = {
  private: 'a private',
  linkLocal: 'a link-local',
  carrierGradeNat: "a carrier's private",
  uniqueLocal: 'a private',
  multicast: 'a multicast',
  broadcast: 'a broadcast',
  unspecified: 'an unspecified',
};

function kindOfRange(range: string): AddressKind {
  return range === 'unicast' ? 'public' : (adjectives[range] ?? 'a reserved');
}

/** The IPv4 address decides. Loopback through NAT64 would be another machine's, so it does not count as such. */
function kindBehindNat64(translated: ipaddr.IPv6): AddressKind {
  const kind = addressKind(new ipaddr.IPv4(translated.toByteArray().slice(-4)).toString());
  return kind === 'loopback' ? 'a reserved' : kind;
}
