import { expect, it } from 'vitest';
import { loadNetworks, loadSomeSettings } from '../../src/platform/settings.ts';

const quotas = (text: string) => loadSomeSettings(['quotas'], { QUOTAS: text }).quotas;

it('a setting of several values takes those that are named, and the default of every other', () => {
  expect(quotas('profiles:7, streams:0')).toEqual({ ...quotas(''), profiles: 7, streams: 0 });
  expect(quotas('')).toMatchObject({ profiles: 100_000, streams: 5 });
});

it.each([
  ['profiles:many', /QUOTAS: profiles must be a number/],
  ['profiles', /QUOTAS: "profiles" is not of the form NAME:NUMBER/],
  ['profiles:', /QUOTAS: "profiles:" is not of the form NAME:NUMBER/],
  ['profile:7', /QUOTAS: must not have profile/],
  ['profiles:7,profiles:8', /QUOTAS: "profiles:8" is not of the form NAME:NUMBER, each name once/],
  ['__proto__:7', /QUOTAS: .*__proto__/],
])('%s is refused, and the error names what is wrong', (text, message) => {
  expect(() => quotas(text)).toThrow(message);
});

const genesis = (text: string) => loadNetworks({ GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`, GNOSIS_GENESIS: text }).gnosis?.genesis;

it('a local chain has a name, and a fork the currencies and the endpoint of what was there before', () => {
  expect(genesis('')).toEqual({ name: '', inheritedTokens: [] });
  expect(genesis('0xab')).toEqual({ name: '0xab', inheritedTokens: [] });
  expect(genesis('0xab,eur+gbp@https://user:a,b@node.example/k')).toEqual({
    name: '0xab',
    inheritedTokens: ['eur', 'gbp'],
    openingRpcUrl: 'https://user:a,b@node.example/k',
  });
});
