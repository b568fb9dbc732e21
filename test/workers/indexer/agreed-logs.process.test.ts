import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEndpoints, type SharedEndpoint } from '../../../src/chain/endpoints/endpoints.ts';
import { type EndpointProxy, startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { type Anvil, startAnvil } from '../../support/chain/anvil.ts';
import { connectLocalChain, transact } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, type Lie, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';

/** Deploys a contract without code, and emits a log without topics. */
const logging: Hex = '0x60006000a000';

let anvil: Anvil;
let nodes: FaultyRpc[];
let endpoints: SharedEndpoint[];
let proxy: EndpointProxy;
/** The logs of the chain, as a node answers them. */
let logs: object[];

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10_200 });
  const chain = connectLocalChain(anvil.url, 10_200);
  for (let count = 0; count < 2; count += 1) await transact(chain, { data: logging });
  logs = await chain.request<{ ReturnType: object[] }>({ method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: '0x2' }] });
});
afterAll(() => anvil.stop());
beforeEach(() => start(3));
afterEach(stop);

async function start(count: number) {
  nodes = await Promise.all(Array.from({ length: count }, () => startFaultyRpc(anvil.url)));
  endpoints = createEndpoints({ chain: 'chiado', rpcUrls: nodes.map(({ url }) => url) });
  proxy = await startEndpointProxy(endpoints, 2);
}

async function stop() {
  await Promise.all([proxy.close(), ...nodes.map((node) => node.close())]);
}

async function askRange() {
  const params = [{ fromBlock: '0x0', toBlock: '0x2' }];
  const response = await fetch(proxy.url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params }),
  });
  return { status: response.status, ...((await response.json()) as { result?: unknown; error?: unknown }) };
}

it.each<[string, Lie]>([
  ['has none', () => []],
  ['lacks some', (all) => (all as object[]).slice(1)],
  ['invents some', (all) => [...(all as object[]), { ...logs[0], logIndex: '0x1' }]],
])('the logs of a range are those that two of three endpoints have, and one that %s is named', async (_, lie) => {
  expect(logs).toHaveLength(2);
  await nodes[0]?.fail({ lies: { eth_getLogs: lie } });
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
  await until('the difference lasts', async () => {
    expect(await askRange()).toMatchObject({ status: 200, result: logs });
    return endpoints[0]?.health.failures.lasting();
  });
  expect(endpoints.slice(1).map(({ health }) => health.failures.lasting())).toEqual([undefined, undefined]);
  expect(endpoints[0]?.health.rest()).toBeUndefined();
});

/** The same logs, as another node may write them. */
function writtenOtherwise(all: unknown): object[] {
  const written = (all as { address: string }[]).map((log) => Object.assign(log, { address: log.address.toUpperCase(), extra: 1 }));
  return written.toReversed();
}

it('nodes that write the same logs in another way agree', async () => {
  await nodes[0]?.fail({ lies: { eth_getLogs: writtenOtherwise } });
  await nodes[2]?.fail('refuses');
  expect(await askRange()).toMatchObject({ status: 200, result: [{}, {}] });
  expect(endpoints.map(({ health }) => health.failures.has('eth_getLogs'))).toEqual([false, false, false]);
});

it('a range is not answered while one of two endpoints is silent, or they differ, and is when they agree', async () => {
  await stop();
  await start(2);
  const [first] = nodes as [FaultyRpc];
  for (const fault of ['refuses', { lies: { eth_getLogs: () => [] } }, { error: { code: -32_603, message: 'internal error' } }] as const) {
    await first.fail(fault);
    expect(await askRange()).toMatchObject({ status: 503 });
    expect([proxy.hasFailed(), proxy.hasFailed()]).toEqual([true, false]);
    await first.heal();
    await until('both agree', async () => (await askRange()).status === 200 || undefined);
    proxy.hasFailed();
  }
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
  expect(proxy.hasFailed()).toBe(false);
});

it('the range that one of two endpoints does not allow is refused to Ponder, which asks for a smaller one', async () => {
  await stop();
  await start(2);
  await nodes[0]?.fail({ refusesLogsOver: 1n, error: { code: -32_005, message: 'query returned more than 10000 results' } });
  expect(await askRange()).toMatchObject({ status: 200, error: { message: 'query returned more than 10000 results' } });
});
