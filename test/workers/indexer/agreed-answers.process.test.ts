import type { Hex, RpcLog } from 'viem';
import { beforeAll, expect, it, type TestContext } from 'vitest';
import { createEndpoints } from '../../../src/chain/endpoints/endpoints.ts';
import { startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { startLocalChain, transact } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, type Lie, type RpcFault, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

type Log = ReturnType<typeof needed>;

/** Deploys a contract without code, and emits a log without topics. */
const logging: Hex = '0x60006000a000';

/** The same with two logs. */
const loggingTwice: Hex = '0x60006000a060006000a000';

const chain = forWholeFile(() => startLocalChain({ chainId: 10_200 }));
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

/** What Ponder asks, over nodes of which two must agree: of a test alone, because most tests wait for seconds, and so all run at once. */
async function startProxy({ onTestFinished }: TestContext, { count = 3, tokens = [] }: { count?: number; tokens?: Hex[] } = {}) {
  const nodes = await Promise.all(Array.from({ length: count }, () => startFaultyRpc(chain.url)));
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: nodes.map(({ url }) => url) });
  const proxy = await startEndpointProxy({ endpoints, quorum: 2, tokens });
  onTestFinished(async () => void (await Promise.all([proxy.close(), ...nodes.map((node) => node.close())])));
  const call = async (method: string, params: unknown[]) => {
    const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) });
    return { status: response.status, ...((await response.json()) as { result?: unknown; error?: unknown }) };
  };
  const askLogs = (filter: object) => call('eth_getLogs', [filter]);
  return {
    nodes: nodes as [FaultyRpc, FaultyRpc, FaultyRpc],
    endpoints,
    hasFailed: () => proxy.hasFailed(),
    call,
    askLogs,
    askRange: () => askLogs({ fromBlock: '0x0', toBlock: '0x2' }),
    /** The logs of block 3. */
    askBlock: () => askLogs({ blockHash: twoLogs[0]?.blockHash }),
    /** Which endpoints are asked for a method after the others. */
    askedLast: (method: string) => endpoints.map(({ health }) => health.failures.has(method)),
  };
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

const none: Lie = () => [];
const withoutFirst: Lie = (all) => (all as object[]).slice(1);

it.concurrent.for<[string, Lie]>([
  ['has none', none],
  ['lacks some', withoutFirst],
  ['invents some', (all) => [...(all as object[]), { ...logs[0], logIndex: '0x1' }]],
])('the logs of a range are those that two of three endpoints have, and one that %s is named', async ([, lie], test) => {
  const { nodes, endpoints, askRange } = await startProxy(test);
  expect(logs).toHaveLength(2);
  await nodes[0].fail({ lies: { eth_getLogs: lie } });
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

it.concurrent('nodes that write the same logs in another way agree, and what is passed on is always written alike', async (test) => {
  const { nodes, askRange, askedLast } = await startProxy(test);
  await nodes[2].fail('refuses');
  for (const written of nodes.slice(0, 2)) {
    await written.fail({ lies: { eth_getLogs: writtenOtherwise } });
    expect((await askRange()).result).toEqual(logs);
    await written.heal();
  }
  expect(askedLast('eth_getLogs')).toEqual([false, false, false]);
});

it.concurrent.for<[string, RpcFault]>([
  ['is silent', 'refuses'],
  ['differs', { lies: { eth_getLogs: none } }],
  ['has an internal error', { error: { code: -32_603, message: 'internal error' } }],
])('a range is not answered while one of two endpoints %s, and is when they agree', async ([, fault], test) => {
  const { nodes, askRange, hasFailed } = await startProxy(test, { count: 2 });
  await nodes[0].fail(fault);
  expect(await askRange()).toMatchObject({ status: 503 });
  expect([hasFailed(), hasFailed()]).toEqual([true, false]);
  await nodes[0].heal();
  await until('both agree', async () => (await askRange()).status === 200 || undefined);
  hasFailed();
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
  expect(hasFailed()).toBe(false);
});

it.concurrent('the range that one of two endpoints does not allow is refused to Ponder, which asks for a smaller one', async (test) => {
  const { nodes, askRange } = await startProxy(test, { count: 2 });
  await nodes[0].fail({ refusesLogsOver: 1n, error: { code: -32_005, message: 'query returned more than 10000 results' } });
  expect(await askRange()).toMatchObject({ status: 200, error: { message: 'query returned more than 10000 results' } });
});

it.concurrent.for<[string, Lie]>([
  ['has none', none],
  ['lacks some', withoutFirst],
  ['has them twice', (all) => [...(all as object[]), ...(all as object[])]],
  ['has them of another block', altered({ blockHash: `0x${'1'.repeat(64)}` })],
  ['has them of another transaction', altered({ transactionHash: `0x${'1'.repeat(64)}` })],
  ['has them at another place of the block', altered({ transactionIndex: '0x7' })],
  ['has them under another number', altered({ blockNumber: '0x7' })],
  ['has some without a place', altered({ logIndex: null })],
])('the logs of a block are those that two of three endpoints have, and one that %s is asked last', async ([, lie], test) => {
  const { nodes, askBlock, askedLast } = await startProxy(test);
  await nodes[0].fail({ lies: { eth_getLogs: lie } });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  await until('it is asked last', async () => askedLast('eth_getLogs')[0] || undefined);
  expect(askedLast('eth_getLogs')).toEqual([true, false, false]);
});

function altered(change: object): Lie {
  return (all) => (all as object[]).map((log) => Object.assign(log, change));
}

it.concurrent('an endpoint that has no logs of a block yet, and has them a moment later, is not named', async (test) => {
  const { nodes, askBlock, askedLast } = await startProxy(test);
  let asked = 0;
  await nodes[0].fail({ lies: { eth_getLogs: (all) => ((asked += 1) === 1 ? [] : all) } });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  await until('it is asked again', async () => asked === 2 || undefined);
  expect(askedLast('eth_getLogs')).toEqual([false, false, false]);
});

it.concurrent('a block has no logs where one of two endpoints has none, and the other has none either or does not answer', async (test) => {
  const { nodes, askLogs, askedLast } = await startProxy(test, { count: 2 });
  const { hash } = await chain.getBlock({ blockNumber: 0n });
  for (const fault of [{ lateMs: 0 }, 'hangs', 'refuses'] as const) {
    await nodes[1].fail(fault);
    expect(await askLogs({ blockHash: hash })).toMatchObject({ status: 200, result: [] });
  }
  expect(askedLast('eth_getLogs')).toEqual([false, false]);
});

it.concurrent.for([-32_003, 4_001, 5_000, 7_000])('the next endpoint is asked where one answers with the code %i', async (code, test) => {
  const { nodes, askBlock, askRange, call } = await startProxy(test);
  const error = Object.assign(new Error('execution reverted'), { code });
  await nodes[0].fail({ answers: { eth_getLogs: error, eth_getBlockByNumber: error } });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
  expect(await call('eth_getBlockByNumber', ['0x1', false])).toMatchObject({ status: 200, result: { number: '0x1' } });
});

it.concurrent.for(['latest', '0x3'])(
  'the block %s is that which two of three endpoints have, and one with another bloom filter is asked last',
  async (block, test) => {
    const honest = await (await startProxy(test)).call('eth_getBlockByNumber', [block, true]);
    expect(honest).toMatchObject({ status: 200, result: { number: '0x3', transactions: [{ hash: twoLogs[0]?.transactionHash }] } });
    const { nodes, call, askedLast } = await startProxy(test);
    for (const digit of ['0', 'f']) {
      const lie: Lie = (found) => ({ ...(found as object), logsBloom: `0x${digit.repeat(512)}` });
      await nodes[0].fail({ lies: { eth_getBlockByNumber: lie, eth_getBlockByHash: lie } });
      expect(await call('eth_getBlockByNumber', [block, true])).toEqual(honest);
    }
    await until('it is asked last', async () => askedLast('eth_getBlockByNumber')[0] || undefined);
  },
);

it.concurrent.for<[string, object]>([
  ['of another fork', { hash: `0x${'2'.repeat(64)}` }],
  ['that goes back to another parent', { hash: `0x${'2'.repeat(64)}`, parentHash: `0x${'3'.repeat(64)}`, number: '0x2' }],
])('a newest block %s that only the first of three endpoints has is passed on to nobody, and it is named', async ([, change], test) => {
  const { nodes, call, askedLast } = await startProxy(test);
  const newest = await call('eth_getBlockByNumber', ['latest', false]);
  const lie: Lie = () => ({ ...(newest.result as object), ...change });
  await nodes[0].fail({ lies: { eth_getBlockByNumber: lie, eth_getBlockByHash: lie } });
  await until('it is asked last', async () => {
    const { blockHash: hash } = twoLogs[0] as Log;
    expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ status: 200, result: { number: '0x3', hash } });
    return askedLast('eth_getBlockByNumber')[0] || undefined;
  });
  expect(askedLast('eth_getBlockByNumber')).toEqual([true, false, false]);
});

it.concurrent('the newest block has its transactions for who asks for them, also after it was asked for without', async (test) => {
  const { call } = await startProxy(test);
  for (const isFull of [false, true, false]) {
    const { result } = (await call('eth_getBlockByNumber', ['latest', isFull])) as { result: { transactions: unknown[] } };
    const { transactionHash: hash } = twoLogs[0] as Log;
    expect(result.transactions).toEqual([isFull ? expect.objectContaining({ hash, transactionIndex: '0x0' }) : hash]);
  }
});

it.concurrent('no logs are no answer for a block whose bloom filter announces some, however many say so', async (test) => {
  const { nodes, call, askBlock, askedLast } = await startProxy(test);
  for (const node of nodes.slice(0, 2)) await node.fail({ lies: { eth_getLogs: none } });
  await call('eth_getBlockByNumber', ['latest', false]);
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  await until('they are asked last', async () => askedLast('eth_getLogs')[1] || undefined);
  expect(askedLast('eth_getLogs')[2]).toBe(false);
});

it.concurrent('of a block with more logs than an endpoint answers at once those of the tokens are asked for, and of a range fewer blocks', async (test) => {
  const { nodes, endpoints, call, askBlock, askRange } = await startProxy(test, { tokens: [(twoLogs[0] as Log).address] });
  const long: Lie = (all, [filter]) =>
    (filter as { address?: unknown }).address ? all : [{ ...twoLogs[0], data: `0x${'0'.repeat(11 * 2 ** 20)}` }];
  for (const node of nodes) await node.fail({ lies: { eth_getLogs: long } });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  const { result } = (await call('eth_getBlockByHash', [twoLogs[0]?.blockHash, true])) as { result: { logsBloom: string } };
  expect(BigInt(result.logsBloom)).toBe(0n);
  expect(await askRange()).toMatchObject({ status: 200, error: { message: 'Block range limit exceeded. The answer is too long' } });
  expect(endpoints.map(({ health }) => health.rest())).toEqual([undefined, undefined, undefined]);
});

it.concurrent('logs that nodes have in another order are answered in that of the chain', async (test) => {
  const { nodes, askBlock, askRange } = await startProxy(test);
  for (const node of nodes) await node.fail({ lies: { eth_getLogs: (all) => (all as object[]).toReversed() } });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  expect(await askRange()).toMatchObject({ status: 200, result: logs });
});

it.concurrent('the block that only one of three endpoints has is none, and that endpoint is asked last for the newest', async (test) => {
  const { nodes, askLogs, askedLast } = await startProxy(test);
  const blockHash = `0x${'2'.repeat(64)}`;
  await nodes[0].fail({ lies: { eth_getLogs: () => [{ ...logs[0], blockHash }], eth_getBlockByHash: () => ({ hash: blockHash }) } });
  expect(await askLogs({ blockHash })).toMatchObject({ status: 404 });
  expect(askedLast('eth_getBlockByNumber')).toEqual([true, false, false]);
});

it.concurrent('a block that the first endpoint does not have is that of the next', async (test) => {
  const { nodes, call } = await startProxy(test);
  await nodes[0].fail({ lies: { eth_getBlockByNumber: () => null } });
  expect(await call('eth_getBlockByNumber', ['0x1', false])).toMatchObject({ status: 200, result: { number: '0x1' } });
});

it.concurrent('an endpoint that has just been slow is asked where the others differ, so that the one who is right is not named beside the one who lies', async (test) => {
  const { nodes, endpoints, askBlock, askedLast } = await startProxy(test);
  await nodes[1].fail('hangs');
  await until('it is known to be slow', async () => {
    expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
    return (endpoints[1]?.health.usualMs('eth_getLogs') ?? 0) >= 2_000 || undefined;
  });
  await nodes[1].heal();
  await nodes[0].fail({ lies: { eth_getLogs: withoutFirst } });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  await until('who lies is known', async () => askedLast('eth_getLogs')[0] || undefined);
  expect(askedLast('eth_getLogs')[2]).toBe(false);
});

it.concurrent('the logs of a block are those of the endpoint that answers while the others are silent, and of none while those that answer differ', async (test) => {
  const { nodes, askBlock, askedLast } = await startProxy(test);
  await nodes[1].fail('hangs');
  await nodes[2].fail({ status: 429 });
  expect(await askBlock()).toMatchObject({ status: 200, result: twoLogs });
  await nodes[0].fail({ lies: { eth_getLogs: withoutFirst } });
  await nodes[2].heal();
  await until('those that differ are known', async () => (await askBlock()).status === 503 || undefined);
  expect(askedLast('eth_getLogs')).toEqual([true, false, true]);
  await nodes[1].heal();
  await until('two agree', async () => {
    const { status, result } = await askBlock();
    if (status === 200) expect(result).toEqual(twoLogs);
    return status === 200 || undefined;
  });
});
