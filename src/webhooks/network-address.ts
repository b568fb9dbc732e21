import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where a network address lies: anywhere in the internet, on this machine, or where no webhook goes, in words. */
export type Place = 'public' | 'loopback' | (string & {});

/**
 * Global unicast addresses of IPv6 (RFC 4291, section 2.4; the IANA has given out no others). That alone refuses
 * IPv4-mapped, IPv4-compatible, translated, unique local, site local and multicast addresses.
 */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Behind it stands an IPv4 address, which decides (RFC 6052): in a network of IPv6 alone every IPv4 host has such a one. */
const nat64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** The one public-looking address behind which a cloud (Azure) shows its machines what is theirs alone. */
const metadata = '168.63.129.16';

const words: Record<string, string> = {
  private: 'a private',
  linkLocal: 'a link-local',
  carrierGradeNat: "a carrier's private",
  uniqueLocal: 'a private',
  multicast: 'a multicast',
  broadcast: 'a broadcast',
  unspecified: 'an unspecified',
};

/** Tells where an IPv4 or IPv6 address lies. What cannot be read lies nowhere good. */
export function placeOf(address: string): Place {
  // ipaddr.js reads more spellings than a socket does, such as 010.0.0.1.
  if (isIP(address) === 0) return 'an unreadable';
  const parsed = ipaddr.parse(address);
  if (parsed.range() === 'loopback') return 'loopback';
  if (parsed instanceof ipaddr.IPv4) return parsed.toString() === metadata ? 'a reserved' : placeInRange(parsed.range());
  if (parsed.match(nat64)) return placeBehind(parsed);
  return parsed.match(globalUnicast) ? placeInRange(parsed.range()) : (words[parsed.range()] ?? 'a reserved');
}

function placeInRange(range: string): Place {
  return range === 'unicast' ? 'public' : (words[range] ?? 'a reserved');
}

function placeBehind(translated: ipaddr.IPv6): Place {
  const place = placeOf(new ipaddr.IPv4(translated.toByteArray().slice(-4)).toString());
  return place === 'loopback' ? 'a reserved' : place;
}
