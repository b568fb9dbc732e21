import type { Address } from 'viem';
import { beforeAll, afterEach, beforeEach, expect, it } from 'vitest';
import { createEndpoints, type SharedEndpoint } from '../../../src/chain/endpoints/endpoints.ts';
import { OtherChainError } from '../../../src/chain/endpoints/outages.ts';
import { type EndpointProxy, startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { startAnvil } from '../../support/chain/anvil.ts';
import { startLocalChain } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, type RpcFault, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const chain = forWholeFile(() => startLocalChain({ chainId: 10_200 }));
let node: FaultyRpc;
let endpoint: SharedEndpoint;
let proxy: EndpointProxy;
beforeAll(async () => {
  await chain.mine({ blocks: 1_000 });
});
beforeEach(async () => {
  node = await startFaultyRpc(chain.url);
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [node.url] }, undefined, { restsAlone: true });
  endpoint = endpoints[0] as SharedEndpoint;
  proxy = await startEndpointProxy({ endpoints, quorum: 1 });
});
afterEach(() => Promise.all([proxy.close(), node.close()]));

async function ask(method: string, params: unknown[] = [], url = proxy.url) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as object) };
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

it.each<RpcFault>([
  'refuses',
  { status: 429 },
  { status: 503 },
  { error: { code: -32_005, message: 'daily request count exceeded, request rate limited', data: { rate: { allowed_rps: 1 } } } },
  { error: { code: -32_005, message: 'Limit exceeded' } },
])('holds a request while no endpoint answers, or all limit requests, and answers it when one does: %j', async (fault) => {
  await node.fail(fault);
  const answered = ask('eth_chainId');
  // An attempt has failed by then: what ends the test is the answer, however late it comes.
  await expect.poll(() => endpoint.health.rest()).toBeDefined();
  await node.heal();
  expect(await answered).toMatchObject({ status: 200 });
});

it('is 503 while the endpoints limit all requests, and 429 while they answer others', async () => {
  const error = { code: -32_005, message: 'Limit exceeded' };
  await node.fail({ error });
  expect(await ask('eth_chainId')).toEqual({ status: 503, body: { jsonrpc: '2.0', id: 7, error } });
  await node.fail({ refusesLogsOver: 0n, error });
  const whileOthersAreAnswered = async () => {
    const logs = ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }]);
    await ask('eth_chainId');
    return logs;
  };
  await expect.poll(whileOthersAreAnswered).toEqual({ status: 429, body: { jsonrpc: '2.0', id: 7, error } });
});

it.each([
  { code: -32_005, message: 'query returned more than 10000 results. Try with this block range [0x1, 0x64].', data: { to: '0x64' } },
  { code: -32_005, message: 'block range exceeds server capacity' },
])('passes on the limit of a range of blocks, and the endpoint answers what is asked next: $message', async (error) => {
  await node.fail({ refusesLogsOver: 100n, error });
  expect(await ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3e8' }])).toEqual({
    status: 200,
    body: { jsonrpc: '2.0', id: 7, error },
  });
  expect(endpoint.health.rest()).toBeUndefined();
  expect(await ask('eth_blockNumber')).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 7, result: '0x3e8' } });
  expect(await ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }])).toMatchObject({ status: 200, body: { result: [] } });
});

it.each<RpcFault>(['refuses', { status: 429 }])('passes on what one node answers while another does not (%j)', async (fault) => {
  const other = await startFaultyRpc(chain.url);
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [node.url, other.url] });
  const both = await startEndpointProxy({ endpoints, quorum: 1 });
  try {
    const error = { code: -32_005, message: 'query returned more than 10000 results' };
    await node.fail({ refusesLogsOver: 100n, error });
    const askLogs = () => ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3e8' }], both.url);
    expect(await askLogs()).toMatchObject({ status: 200, body: { result: [] } });
    await other.fail(fault);
    for (let count = 0; count < 2; count += 1) expect(await askLogs()).toMatchObject({ status: 200, body: { error } });
  } finally {
    await Promise.all([both.close(), other.close()]);
  }
});

it('passes on nothing that an endpoint answers for another chain', async () => {
  const foreign = await startAnvil({ chainId: 10_201 });
  const other = await startFaultyRpc(chain.url);
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [node.url, other.url] }, undefined, { checksChain: true });
  const both = await startEndpointProxy({ endpoints, quorum: 1 });
  const questions: [string, unknown[]][] = [
    ['eth_getBlockByNumber', ['latest', true]],
    ['eth_getBlockByNumber', ['0x0', true]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }]],
    ['eth_blockNumber', []],
  ];
  try {
    for (const [method, params] of questions) {
      const answered = await ask(method, params, both.url);
      node.leadTo(foreign.url);
      await until('the endpoint is found to be of another chain', async () => {
        expect(await ask(method, params, both.url)).toEqual(answered);
        return endpoints[0]?.health.rest()?.failure instanceof OtherChainError || undefined;
      });
      node.leadTo(chain.url);
      // Each question probes it.
      await expect.poll(() => ask('eth_chainId', [], both.url).then(() => endpoints[0]?.health.rest())).toBeUndefined();
    }
  } finally {
    await Promise.all([both.close(), other.close(), foreign.stop()]);
  }
});

it('is 503 when none answers in the time that Ponder has', async () => {
  await node.fail('hangs');
  expect(await ask('eth_chainId')).toMatchObject({ status: 503, body: { error: { code: -32_603 } } });
});

it('is 404 when a reorganisation has replaced the block whose logs are asked for', async () => {
  const rpc = chain;
  const [from] = await rpc.request<{ ReturnType: Address[] }>({ method: 'eth_accounts' } as never);
  await rpc.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] } as never);
  await rpc.mine({ blocks: 1 });
  const { hash } = await rpc.getBlock();
  expect(await ask('eth_getLogs', [{ blockHash: hash }])).toMatchObject({ status: 200, body: { result: [] } });
  await rpc.request({ method: 'anvil_reorg', params: [1, []] } as never);
  const answered = await ask('eth_getLogs', [{ blockHash: hash }]);
  expect(answered).toMatchObject({
    status: 404,
    body: { error: { code: -32_001, message: `the endpoints do not have the block ${hash}` } },
  });
});
