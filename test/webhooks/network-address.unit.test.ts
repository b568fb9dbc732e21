import { describe, expect, it } from 'vitest';
import { addressKind } from '../../src/webhooks/network-address.ts';

describe('the place of a network address', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
  ])('%s is public', (address) => {
    expect(addressKind(address)).toBe('public');
  });

  it.each(['2000::', '2606:4700:4700::1111', '2a00:1450:4001:80f::200e', '2001:4860:4860::8888', '64:ff9b::808:808'])(
    '%s is public',
    (address) => {
      expect(addressKind(address)).toBe('public');
    },
  );

  it.each(['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])('%s is loopback', (address) => {
    expect(addressKind(address)).toBe('loopback');
  });

  it.each([
    ['a private', ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255']],
    ["a carrier's private", ['100.64.0.0', '100.127.255.255']],
    // The last is the metadata service of a cloud (Alibaba); the one of most others is link-local.
    ["a carrier's private", ['100.100.100.200']],
    [
      'a link-local',
      ['169.254.0.0', '169.254.169.254', '169.254.170.2', '169.254.255.255', 'fe80::', 'fe80::1', 'fe80::1%eth0', 'febf::ffff'],
    ],
    ['a private', ['fc00::', 'fd00:ec2::254', 'fd20:ce::254', 'fdff:ffff::1']],
    ['a multicast', ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1', 'ff0e::1']],
    ['a broadcast', ['255.255.255.255']],
    ['an unspecified', ['0.0.0.0', '0.255.255.255', '::', '0:0:0:0:0:0:0:0']],
  ])('%s address: %j', (place, addresses) => {
    for (const address of addresses) expect(addressKind(address), address).toBe(place);
  });

  it.each([
    ['protocol assignments', ['192.0.0.0', '192.0.0.8', '192.0.0.192', '192.0.0.255']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['benchmarks', ['198.18.0.0', '198.19.255.255', '2001:2::1']],
    ['the former class E', ['240.0.0.0', '255.255.255.254']],
    ['relays of 6to4, AS112 and AMT', ['192.88.99.1', '192.31.196.1', '192.175.48.1', '192.52.193.1', '2001:4:112::1', '2620:4f:8000::1']],
    ["a cloud's own wire server", ['168.63.129.16']],
    ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8', '::ffff:7f00:1']],
    ['IPv4-compatible', ['::127.0.0.1', '::7f00:1', '::8.8.8.8']],
    ['IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']],
    ["NAT64 of a network's own", ['64:ff9b:1::1', '64:ff9b:1:fffe::a00:1']],
    ['NAT64 of loopback', ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1']],
    ['6to4, of whatever address', ['2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::', '2002:808:808::1']],
    ['Teredo, of whatever address', ['2001::', '2001:0:53aa:64c::80ff:fffe', '2001:0:7f00:1::']],
    ['ORCHID and other identifiers', ['2001:10::1', '2001:20::1', '2001:30::1']],
    ['discard', ['100::', '100::ffff']],
    ['site local', ['fec0::1', 'feff::1']],
    ['segment routing', ['5f00::1']],
    ['what is not given out', ['4000::1', '8000::1', 'e000::1', '200::1', '1fff::1']],
  ])('reserved, for %s: %j', (_, addresses) => {
    for (const address of addresses) expect(addressKind(address), address).toBe('a reserved');
  });

  it.each([
    ['64:ff9b::10.0.0.1', 'a private'],
    ['64:ff9b::a9fe:a9fe', 'a link-local'],
    ['64:ff9b::100.64.0.1', "a carrier's private"],
    ['64:ff9b::0.0.0.0', 'an unspecified'],
    ['64:ff9b::168.63.129.16', 'a reserved'],
  ])('%s lies where the address behind it does: %s', (address, place) => {
    expect(addressKind(address)).toBe(place);
  });

  it.each(['', 'localhost', '1.2.3', '16909060', '010.0.0.1', '0x7f.0.0.1', '1.2.3.4.5', '256.1.1.1', '::g', '1.2.3.4/8', 'fe80::1::2'])(
    '"%s" is unreadable, or not public',
    (text) => {
      expect(addressKind(text)).not.toMatch(/^(public|loopback)$/);
    },
  );
});
