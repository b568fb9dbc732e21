import { expect, it } from 'vitest';
import { createEndpoints } from '../../src/chain/endpoints/endpoints.ts';

const key = 'v3/0123456789abcdef';

it('makes a client of each HTTP endpoint, in their order', () => {
  const rpcUrls = [`https://one.example/${key}`, 'wss://two.example', 'https://three.example'];
  expect(createEndpoints({ chain: 'chiado', rpcUrls }).map(({ name }) => name)).toEqual(['https://one.example', 'https://three.example']);
});

it('names endpoints of one host by their number, and never with the key in their address', () => {
  const rpcUrls = [`https://one.example/${key}`, `https://one.example/${key}0`];
  const names = createEndpoints({ chain: 'chiado', rpcUrls }).map(({ name }) => name);
  expect(names).toEqual(['https://one.example (endpoint 1)', 'https://one.example (endpoint 2)']);
});

it('names the setting of a network without an endpoint', () => {
  expect(() => createEndpoints({ chain: 'chiado', rpcUrls: [] })).toThrow('CHIADO_RPC_URLS');
});
