import { afterAll, beforeAll, afterEach, beforeEach, expect, it } from 'vitest';
import { createEndpoints, type SharedEndpoint } from '../../../src/chain/endpoints.ts';
import { rpcOver } from '../../../src/chain/rpc.ts';
import { type EndpointProxy, startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { type Anvil, startAnvil } from '../../support/chain/anvil.ts';
import { type FaultyRpc, startFaultyRpc } from '../../support/chain/rpc-faults.ts';

let anvil: Anvil;
let node: FaultyRpc;
let endpoint: SharedEndpoint;
let proxy: EndpointProxy;
beforeAll(async () => void (anvil = await startAnvil({ chainId: 10_200 })));
afterAll(() => anvil.stop());
beforeEach(async () => {
  node = await startFaultyRpc(anvil.url);
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [node.url] }, undefined, { restsAlone: true });
  endpoint = endpoints[0] as SharedEndpoint;
  proxy = await startEndpointProxy(rpcOver(endpoints));
});
afterEach(() => Promise.all([proxy.close(), node.close()]));

async function ask(method: string, params: unknown[] = [], url = proxy.url) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) });
  return { status: response.status, body: response.ok ? ((await response.json()) as object) : undefined };
}

it('answers what a node answers, also its errors, and nobody who does not know its path', async () => {
  expect(await ask('eth_chainId')).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 7, result: '0x27d8' } });
  expect(await ask('eth_getBlockByNumber', ['0xffff', false])).toMatchObject({ status: 200, body: { result: null } });
  await node.fail({ error: { code: -32_602, message: 'block range is too wide' } });
  expect(await ask('eth_getLogs', [{}])).toMatchObject({
    status: 200,
    body: { error: { code: -32_602, message: 'block range is too wide' } },
  });
  expect(await ask('eth_chainId', [], new URL(proxy.url).origin)).toEqual({ status: 404, body: undefined });
});

it('holds a request while no endpoint answers, and answers it when one does', async () => {
  await node.fail('refuses');
  const answered = ask('eth_chainId');
  // An attempt has failed by then: what ends the test is the answer, however late it comes.
  await expect.poll(() => endpoint.rest(), { timeout: 240_000 }).toBeDefined();
  await node.heal();
  expect(await answered).toMatchObject({ status: 200 });
});

it('is 429 when the endpoints limit requests', async () => {
  await node.fail({ status: 429 });
  expect(await ask('eth_chainId')).toMatchObject({ status: 429 });
});

it('is 503 when none answers in the time that Ponder has', async () => {
  await node.fail('hangs');
  expect(await ask('eth_chainId')).toEqual({ status: 503, body: undefined });
});
