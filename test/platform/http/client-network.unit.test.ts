import { expect, it } from 'vitest';
import { networkOf, siteOf } from '../../../src/platform/http/client-network.ts';

it.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['[2001:db8:1:ffff::1]:443', '2001:db8:1::/48'],
  ['::1', '::/48'],
  ['unknown', 'unknown'],
  ['', ''],
])('the network of %s is of the site %s', (address, site) => {
  expect(siteOf(networkOf(address))).toBe(site);
});
