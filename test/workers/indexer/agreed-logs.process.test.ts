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

/** The same with two logs. */
const loggingTwice: Hex = '0x60006000a060006000a000';

let anvil: Anvil;
let nodes: FaultyRpc[];
let endpoints: SharedEndpoint[];
let proxy: EndpointProxy;
/** The logs of the chain up to block 2, as a node answers them, and the two of one transaction in block 3. */
let logs: object[];
let twoLogs: { blockHash: Hex }[];

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10_200 });
  const chain = connectLocalChain(anvil.url, 10_200);
  for (let count = 0; count < 2; count += 1) await transact(chain, { data: logging });
  logs = await chain.request<{ ReturnType: object[] }>({ method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: '0x2' }] });
  const { blockHash } = await transact(chain, { data: loggingTwice });
  twoLogs = await chain.request<{ ReturnType: typeof twoLogs }>({ method: 'eth_getLogs', params: [{ blockHash }] });
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

const askRange = () => askLogs({ fromBlock: '0x0', toBlock: '0x2' });

async function askLogs(filter: object) {
  return call('eth_getLogs', [filter]);
}

async function call(method: string, params: unknown[]) {
  const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) });
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

it.each<[string, Lie]>([
  ['has none', () => []],
  ['lacks some', (all) => (all as object[]).slice(1)],
  ['has them twice', (all) => [...(all as object[]), ...(all as object[])]],
  ['has them of another block', (all) => (all as object[]).map((log) => Object.assign(log, { blockHash: `0x${'1'.repeat(64)}` }))],
  [
    'has them of another transaction',
    (all) => (all as object[]).map((log) => Object.assign(log, { transactionHash: `0x${'1'.repeat(64)}` })),
  ],
])('the logs of a block are those that two of three endpoints have, and one that %s is asked last', async (_, lie) => {
  await nodes[0]?.fail({ lies: { eth_getLogs: lie } });
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  expect(endpoints.map(({ health }) => health.failures.has('eth_getLogs'))).toEqual([true, false, false]);
});

it('logs that nodes have in another order are answered in that of the chain', async () => {
  for (const node of nodes) await node.fail({ lies: { eth_getLogs: (all) => (all as object[]).toReversed() } });
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
});

it('the block that only one of three endpoints has is none, and that endpoint is asked last for the newest', async () => {
  const blockHash = `0x${'2'.repeat(64)}`;
  await nodes[0]?.fail({ lies: { eth_getLogs: () => [{ ...logs[0], blockHash }], eth_getBlockByHash: () => ({ hash: blockHash }) } });
  expect(await askLogs({ blockHash })).toMatchObject({ status: 404 });
  expect(endpoints.map(({ health }) => health.failures.has('eth_getBlockByNumber'))).toEqual([true, false, false]);
});

it('a block that the first endpoint does not have is that of the next', async () => {
  await nodes[0]?.fail({ lies: { eth_getBlockByNumber: () => null } });
  expect(await call('eth_getBlockByNumber', ['0x1', false])).toMatchObject({ status: 200, result: { number: '0x1' } });
});

it('the logs of a block are those of the endpoint that answers while the others are silent, and of none while those that answer differ', async () => {
  const [first, second, third] = nodes as [FaultyRpc, FaultyRpc, FaultyRpc];
  const ask = () => askLogs({ blockHash: twoLogs[0]?.blockHash });
  await second.fail('hangs');
  await third.fail({ status: 429 });
  expect(await ask()).toMatchObject({ status: 200, result: twoLogs });
  await first.fail({ lies: { eth_getLogs: (all) => (all as object[]).slice(1) } });
  await third.heal();
  await until('those that differ are known', async () => (await ask()).status === 503 || undefined);
  expect(endpoints.map(({ health }) => health.failures.has('eth_getLogs'))).toEqual([true, false, true]);
  await second.heal();
  await until('two agree', async () => {
    const { status, result } = await ask();
    if (status === 200) expect(result).toEqual(twoLogs);
    return status === 200 || undefined;
  });
});
