import { type Hex, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { watchEndpoints } from '../../src/chain/endpoints/endpoint-watch.ts';
import { createEndpoints } from '../../src/chain/endpoints/endpoints.ts';
import { inOrder } from '../../src/chain/endpoints/first-answer.ts';
import { describeRpcError } from '../../src/chain/node-answer.ts';
import { rpcOver } from '../../src/chain/endpoints/rpc.ts';
import { createLog } from '../../src/platform/log.ts';
import { startLocalChain } from '../support/chain/local-chain.ts';
import { type FaultyRpc, type RpcFault, startFaultyRpc } from '../support/chain/rpc-faults.ts';
import { until } from '../support/until.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const chain = forWholeFile(() => startLocalChain({ chainId: 10_200 }));
let nodes: FaultyRpc[];
beforeAll(async () => {
  await chain.mine({ blocks: 100 });
  nodes = await Promise.all([startFaultyRpc(chain.url), startFaultyRpc(chain.url), startFaultyRpc(chain.url)]);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
});
afterEach(() => Promise.all(nodes.map((node) => node.heal())));

/** Every answer about the newest block is made of that which is true. */
const newestIs = (lie: (block: bigint) => bigint): RpcFault => ({ lies: { eth_blockNumber: (block) => toHex(lie(BigInt(block as Hex))) } });

/** Answers what it answered first. */
function stands(): (block: bigint) => bigint {
  let first: bigint | undefined;
  return (block) => (first ??= block);
}

const watchAll = (rpcUrls: string[], { blockTimeSeconds = 5, intervalMs }: { blockTimeSeconds?: number; intervalMs?: number } = {}) => {
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls, blockTimeSeconds }, undefined, { checksChain: true });
  const watch = watchEndpoints(endpoints, createLog('silent'), intervalMs);
  /** By their place in the settings. */
  const order = () => inOrder(endpoints, 'eth_call').map((endpoint) => endpoints.indexOf(endpoint));
  /** Looks until the endpoints are asked in this order. */
  const isOrder = (expected: number[]) =>
    until(`the order is ${expected.join(', ')}`, async () => {
      await watch.looked();
      return JSON.stringify(order()) === JSON.stringify(expected) || undefined;
    });
  return { watch, endpoints, order, isOrder };
};

it('asks an endpoint that is behind after the others, and one of another chain never, until they are well', async () => {
  const [first, second] = nodes as [FaultyRpc, FaultyRpc];
  const { watch, endpoints, isOrder } = watchAll(nodes.map(({ url }) => url));
  try {
    await first.fail({ answers: { eth_blockNumber: '0x5a' } });
    await second.fail({ answers: { eth_chainId: '0x1' } });
    await isOrder([2, 0]);
    expect(endpoints[0]?.health.behind()).toMatchObject({ block: 90n, newest: 100n });
    expect(endpoints[1]?.health.rest()?.failure).toMatchObject({ chainId: 1 });
    expect(await rpcOver(endpoints).getBlockNumber()).toBe(100n);
    await Promise.all([first.heal(), second.heal()]);
    await isOrder([0, 1, 2]);
  } finally {
    await watch.close();
  }
});

it('says so when no endpoint is of the chain', async () => {
  await Promise.all(nodes.map((node) => node.fail({ answers: { eth_chainId: '0x1' } })));
  const { watch, endpoints, isOrder } = watchAll(nodes.map(({ url }) => url));
  try {
    const rpc = rpcOver(endpoints);
    await isOrder([]);
    const text = await rpc.getBlockNumber().catch(describeRpcError);
    expect(text).toBe('No endpoint of the network is of its chain: each answers with the id of another one.');
    await nodes[0]?.heal();
    await isOrder([0]);
    expect(await rpc.getBlockNumber()).toBe(100n);
  } finally {
    await watch.close();
  }
});

it('asks nothing of a single endpoint', async () => {
  const [first] = nodes as [FaultyRpc];
  const before = first.requests();
  const { watch, order } = watchAll([first.url]);
  await watch.looked();
  await watch.close();
  expect([order(), first.requests() - before]).toEqual([[0], 0]);
});

it.each([
  ['stands still', stands],
  ['goes back', () => (block: bigint) => block - 25n],
])('asks the others at once when the newest block of the first %s', async (_, lie) => {
  const [first, second, third] = nodes as [FaultyRpc, FaultyRpc, FaultyRpc];
  // No look comes by itself.
  const { watch, endpoints } = watchAll([first.url, second.url, third.url], { blockTimeSeconds: 0.1, intervalMs: 86_400_000 });
  const rpc = rpcOver(endpoints);
  try {
    await watch.looked();
    // Of these blocks only the first knows.
    await chain.mine({ blocks: 40 });
    await rpc.getBlockNumber();
    await first.fail(newestIs(lie()));
    await until('the first is known to be behind', async () => {
      await chain.mine({ blocks: 1 });
      await rpc.getBlockNumber();
      return endpoints[0]?.health.behind();
    });
    const newest = await chain.getBlockNumber({ cacheTime: 0 });
    await expect.poll(() => rpc.getBlockNumber()).toBe(newest);
    await first.heal();
    await watch.looked();
    expect(endpoints[0]?.health.behind()).toBeUndefined();
  } finally {
    await watch.close();
  }
});
