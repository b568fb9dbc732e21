import { describe, expect, it } from 'vitest';
import { rpcQuorum } from '../../src/chain/endpoints/endpoints.ts';
import { loadNetworks } from '../../src/platform/settings.ts';

const read = (urls: string, quorum?: string) => {
  const variables = { CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}`, CHIADO_RPC_URLS: urls, CHIADO_RPC_QUORUM: quorum };
  const { chiado } = loadNetworks(variables);
  return chiado && rpcQuorum(chiado);
};

describe('the quorum of endpoints', () => {
  it.each([
    ['http://a', 1],
    ['http://a,http://b', 2],
    ['http://a,http://b,http://c', 2],
    ['http://a,wss://a', 1],
  ])('of %s is %i where the operator says nothing', (urls, quorum) => {
    expect(read(urls)).toBe(quorum);
  });

  it('is what the operator says', () => {
    expect(read('http://a,http://b,http://c', '3')).toBe(3);
    expect(read('http://a,http://b', '1')).toBe(1);
  });

  it('cannot be more than the HTTP endpoints', () => {
    expect(() => read('http://a,wss://b', '2')).toThrow('CHIADO_RPC_QUORUM: more than the 1 HTTP endpoints');
    expect(() => read('http://a', '0')).toThrow('CHIADO_RPC_QUORUM');
  });

  it('is not reached by one endpoint that is there twice', () => {
    expect(() => read('http://a, http://b,http://a')).toThrow('CHIADO_RPC_URLS: an endpoint is there twice');
  });

  it('may be set for a process that has no endpoint, such as the API', () => {
    expect(() => read('', '2')).not.toThrow();
  });
});
