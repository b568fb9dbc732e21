import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEndpoints, type SharedEndpoint } from '../../../src/chain/endpoints/endpoints.ts';
import { rpcOver } from '../../../src/chain/endpoints/rpc.ts';
import { type EndpointProxy, startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { startLocalChain } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const chain = forWholeFile(() => startLocalChain({ chainId: 10_200 }));
let node: FaultyRpc;
let proxy: EndpointProxy | undefined;
beforeAll(async () => {
  await chain.mine({ blocks: 10 });
});
beforeEach(async () => void (node = await startFaultyRpc(chain.url)));
afterEach(() => Promise.all([proxy?.close(), node.close()]));

const ahead = (block: unknown) => `0x${(BigInt(block as string) + 1_000_000n).toString(16)}`;
const lies = {
  eth_blockNumber: ahead,
  eth_getBlockByNumber: (block: unknown) => ({ ...(block as object), number: ahead((block as { number: string }).number) }),
};

async function start(rpcUrls: string[]): Promise<SharedEndpoint[]> {
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls }, undefined, { refusesLeads: true });
  proxy = await startEndpointProxy({ endpoints, quorum: 1 });
  await Promise.all(endpoints.map(({ rpc }) => rpc.getBlockNumber()));
  return endpoints;
}

async function newestBlock(): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getBlockByNumber', params: ['latest', false] });
  const response = await fetch(proxy?.url ?? '', { method: 'POST', body });
  return ((await response.json()) as { result?: { number: string } }).result?.number;
}

it('the newest block of the first of three endpoints is not believed where it is far ahead of the others, and it is named', async () => {
  const others = [await startFaultyRpc(chain.url), await startFaultyRpc(chain.url)];
  try {
    const endpoints = await start([node.url, ...others.map(({ url }) => url)]);
    const rpc = rpcOver(endpoints);
    expect(await newestBlock()).toBe('0xa');
    await node.fail({ lies });
    await until('the lead lasts', async () => {
      expect([await newestBlock(), await rpc.getBlockNumber()]).toEqual(['0xa', 10n]);
      return endpoints[0]?.health.failures.lasting();
    });
    expect(endpoints.slice(1).map(({ health }) => health.failures.lasting())).toEqual([undefined, undefined]);
    expect(endpoints[0]?.health.rest()).toBeUndefined();
    await node.heal();
    await until('it has its place again', async () => !endpoints[0]?.health.failures.has('eth_getBlockByNumber') || undefined);
    expect(await newestBlock()).toBe('0xa');
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
});

it('the only endpoint is believed', async () => {
  await start([node.url]);
  await node.fail({ lies });
  expect(await newestBlock()).toBe(ahead('0xa'));
});
