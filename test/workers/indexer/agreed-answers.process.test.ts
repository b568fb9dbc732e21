import type { Hex, RpcLog } from 'viem';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEndpoints, type SharedEndpoint } from '../../../src/chain/endpoints/endpoints.ts';
import { type EndpointProxy, startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { startLocalChain, transact } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, type Lie, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

type Log = ReturnType<typeof needed>;

/** Deploys a contract without code, and emits a log without topics. */
const logging: Hex = '0x60006000a000';

/** The same with two logs. */
const loggingTwice: Hex = '0x60006000a060006000a000';

const chain = forWholeFile(() => startLocalChain({ chainId: 10_200 }));
let nodes: FaultyRpc[];
let endpoints: SharedEndpoint[];
let proxy: EndpointProxy;
/** The logs of the chain up to block 2, as a node answers them, and the two of one transaction in block 3. */
let logs: Log[];
let twoLogs: Log[];

beforeAll(async () => {
  for (let count = 0; count < 2; count += 1) await transact(chain, { data: logging });
  const logsOf = async (filter: object) => {
    const all = await chain.request<{ ReturnType: RpcLog[] }>({ method: 'eth_getLogs', params: [filter] });
    return all.map(needed);
  };
  logs = await logsOf({ fromBlock: '0x0', toBlock: '0x2' });
  const { blockHash } = await transact(chain, { data: loggingTwice });
  twoLogs = await logsOf({ blockHash });
});
beforeEach(() => start(3));
afterEach(stop);

async function start(count: number, tokens: Hex[] = []) {
  nodes = await Promise.all(Array.from({ length: count }, () => startFaultyRpc(chain.url)));
  endpoints = createEndpoints({ chain: 'chiado', rpcUrls: nodes.map(({ url }) => url) });
  proxy = await startEndpointProxy({ endpoints, quorum: 2, tokens });
}

async function stop() {
  await Promise.all([proxy.close(), ...nodes.map((node) => node.close())]);
}

const needed = ({ address, topics, data, blockNumber, blockHash, transactionHash, transactionIndex, logIndex }: RpcLog) => ({
  address,
  topics,
  data,
  blockNumber,
  blockHash,
  transactionHash,
  transactionIndex,
  logIndex,
});

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
  const inCapitals = JSON.parse(
    JSON.stringify(all).replaceAll(/"0x[0-9a-f]+"/g, (text) => `"0x${text.slice(3).toUpperCase()}`),
  ) as object[];
  return inCapitals.map((log) => Object.assign(log, { logIndex: '0x00', extra: 1 })).toReversed();
}

it('nodes that write the same logs in another way agree, and what is passed on is always written alike', async () => {
  await nodes[2]?.fail('refuses');
  for (const written of [0, 1]) {
    await nodes[written]?.fail({ lies: { eth_getLogs: writtenOtherwise } });
    expect((await askRange()).result).toEqual(logs);
    await nodes[written]?.heal();
  }
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
  ['has them of another transaction', altered({ transactionHash: `0x${'1'.repeat(64)}` })],
  ['has them at another place of the block', altered({ transactionIndex: '0x7' })],
  ['has them under another number', altered({ blockNumber: '0x7' })],
  ['has some without a place', altered({ logIndex: null })],
])('the logs of a block are those that two of three endpoints have, and one that %s is asked last', async (_, lie) => {
  await nodes[0]?.fail({ lies: { eth_getLogs: lie } });
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  await until('it is asked last', async () => endpoints[0]?.health.failures.has('eth_getLogs') || undefined);
  expect(endpoints.slice(1).map(({ health }) => health.failures.has('eth_getLogs'))).toEqual([false, false]);
});

function altered(change: object): Lie {
  return (all) => (all as object[]).map((log) => Object.assign(log, change));
}

it('an endpoint that has no logs of a block yet, and has them a moment later, is not named', async () => {
  let asked = 0;
  await nodes[0]?.fail({ lies: { eth_getLogs: (all) => ((asked += 1) === 1 ? [] : all) } });
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  await until('it is asked again', async () => asked === 2 || undefined);
  expect(endpoints.map(({ health }) => health.failures.has('eth_getLogs'))).toEqual([false, false, false]);
});

it.each([-32_003, 4_001, 5_000, 7_000])('the next endpoint is asked where one answers with the code %i', async (code) => {
  const error = Object.assign(new Error('execution reverted'), { code });
  await nodes[0]?.fail({ answers: { eth_getLogs: error, eth_getBlockByNumber: error } });
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
  expect(await call('eth_getBlockByNumber', ['0x1', false])).toMatchObject({ status: 200, result: { number: '0x1' } });
});

it.each(['latest', '0x3'])(
  'the block %s is that which two of three endpoints have, and one with another bloom filter is asked last',
  async (block) => {
    const honest = await call('eth_getBlockByNumber', [block, true]);
    expect(honest).toMatchObject({ status: 200, result: { number: '0x3', transactions: [{ hash: twoLogs[0]?.transactionHash }] } });
    await stop();
    await start(3);
    for (const digit of ['0', 'f']) {
      const lie: Lie = (found) => ({ ...(found as object), logsBloom: `0x${digit.repeat(512)}` });
      await nodes[0]?.fail({ lies: { eth_getBlockByNumber: lie, eth_getBlockByHash: lie } });
      expect(await call('eth_getBlockByNumber', [block, true])).toEqual(honest);
    }
    await until('it is asked last', async () => endpoints[0]?.health.failures.has('eth_getBlockByNumber') || undefined);
  },
);

it.each([
  ['of another fork', { hash: `0x${'2'.repeat(64)}` }],
  ['that goes back to another parent', { hash: `0x${'2'.repeat(64)}`, parentHash: `0x${'3'.repeat(64)}`, number: '0x2' }],
])('a newest block %s that only the first of three endpoints has is passed on to nobody, and it is named', async (_, change) => {
  const newest = await call('eth_getBlockByNumber', ['latest', false]);
  const lie: Lie = () => ({ ...(newest.result as object), ...change });
  await nodes[0]?.fail({ lies: { eth_getBlockByNumber: lie, eth_getBlockByHash: lie } });
  await until('it is asked last', async () => {
    const { blockHash } = twoLogs[0] as Log;
    expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      status: 200,
      result: { number: '0x3', hash: blockHash },
    });
    return endpoints[0]?.health.failures.has('eth_getBlockByNumber') || undefined;
  });
  expect(endpoints.slice(1).map(({ health }) => health.failures.has('eth_getBlockByNumber'))).toEqual([false, false]);
});

it('the newest block has its transactions for who asks for them, also after it was asked for without', async () => {
  for (const isFull of [false, true, false]) {
    const { result } = (await call('eth_getBlockByNumber', ['latest', isFull])) as { result: { transactions: unknown[] } };
    const { transactionHash: hash } = twoLogs[0] as Log;
    expect(result.transactions).toEqual([isFull ? expect.objectContaining({ hash, transactionIndex: '0x0' }) : hash]);
  }
});

it('no logs are no answer for a block whose bloom filter announces some, however many say so', async () => {
  for (const node of nodes.slice(0, 2)) await node.fail({ lies: { eth_getLogs: () => [] } });
  await call('eth_getBlockByNumber', ['latest', false]);
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  await until('they are asked last', async () => endpoints[1]?.health.failures.has('eth_getLogs') || undefined);
  expect(endpoints[2]?.health.failures.has('eth_getLogs')).toBe(false);
});

it('of a block with more logs than an endpoint answers at once those of the tokens are asked for, and of a range fewer blocks', async () => {
  await stop();
  const token = (twoLogs[0] as Log).address;
  await start(3, [token]);
  const long: Lie = (all, [filter]) =>
    (filter as { address?: unknown }).address ? all : [{ ...twoLogs[0], data: `0x${'0'.repeat(11 * 2 ** 20)}` }];
  for (const node of nodes) await node.fail({ lies: { eth_getLogs: long } });
  expect(await askLogs({ blockHash: twoLogs[0]?.blockHash })).toMatchObject({ status: 200, result: twoLogs });
  const { result } = (await call('eth_getBlockByHash', [twoLogs[0]?.blockHash, true])) as { result: { logsBloom: string } };
  expect(BigInt(result.logsBloom)).toBe(0n);
  expect(await askRange()).toMatchObject({ status: 200, error: { message: 'Block range limit exceeded. The answer is too long' } });
  expect(endpoints.map(({ health }) => health.rest())).toEqual([undefined, undefined, undefined]);
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

it('an endpoint that has just been slow is asked where the others differ, so that the one who is right is not named beside the one who lies', async () => {
  const [first, second] = nodes as [FaultyRpc, FaultyRpc];
  const ask = () => askLogs({ blockHash: twoLogs[0]?.blockHash });
  await second.fail('hangs');
  await until('it is known to be slow', async () => {
    expect(await ask()).toMatchObject({ status: 200, result: twoLogs });
    return (endpoints[1]?.health.usualMs('eth_getLogs') ?? 0) >= 2_000 || undefined;
  });
  await second.heal();
  await first.fail({ lies: { eth_getLogs: (all) => (all as object[]).slice(1) } });
  expect(await ask()).toMatchObject({ status: 200, result: twoLogs });
  await until('who lies is known', async () => endpoints[0]?.health.failures.has('eth_getLogs') || undefined);
  expect(endpoints[2]?.health.failures.has('eth_getLogs')).toBe(false);
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
