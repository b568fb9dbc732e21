import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { watchEndpoints } from '../../../src/chain/evidence/endpoint-watch.ts';
import { createEndpoints } from '../../../src/chain/endpoints.ts';
import { describeRpcError } from '../../../src/chain/node-answer.ts';
import { rpcOver } from '../../../src/chain/rpc.ts';
import { createLog } from '../../../src/platform/log.ts';
import { type Anvil, startAnvil } from '../../support/chain/anvil.ts';
import { connectLocalChain } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, startFaultyRpc } from '../../support/chain/rpc-faults.ts';

let anvil: Anvil;
let nodes: FaultyRpc[];
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10_200 });
  await connectLocalChain(anvil.url, 10_200).mine({ blocks: 100 });
  nodes = await Promise.all([startFaultyRpc(anvil.url), startFaultyRpc(anvil.url), startFaultyRpc(anvil.url)]);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await anvil.stop();
});
afterEach(() => Promise.all(nodes.map((node) => node.heal())));

const watchAll = (rpcUrls: string[]) => {
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls });
  const watch = watchEndpoints(endpoints, { chain: 'chiado', blockTimeSeconds: 5 }, createLog('silent'));
  /** By their place in the settings. */
  const order = () => watch.order().map((endpoint) => endpoints.indexOf(endpoint));
  return { watch, endpoints, order };
};

it('asks an endpoint that is behind after the others, and one of another chain never, until they are well', async () => {
  const [first, second] = nodes as [FaultyRpc, FaultyRpc];
  const { watch, endpoints, order } = watchAll(nodes.map(({ url }) => url));
  try {
    await first.fail({ answers: { eth_blockNumber: '0x5a' } });
    await second.fail({ answers: { eth_chainId: '0x1' } });
    for (let looks = 0; looks < 2; looks += 1) await watch.looked();
    expect(order()).toEqual([2, 0]);
    expect(watch.faults()).toEqual([
      { name: endpoints[0]?.name, why: 'behind', block: 90n, newest: 100n },
      { name: endpoints[1]?.name, why: 'other chain', chainId: 1 },
    ]);
    expect(await rpcOver(watch.order).getBlockNumber()).toBe(100n);
    await Promise.all([first.heal(), second.heal()]);
    await watch.looked();
    expect([order(), watch.faults()]).toEqual([[0, 1, 2], []]);
  } finally {
    await watch.close();
  }
});

it('says so when no endpoint is of the chain', async () => {
  await Promise.all(nodes.map((node) => node.fail({ answers: { eth_chainId: '0x1' } })));
  const { watch, order } = watchAll(nodes.map(({ url }) => url));
  try {
    const rpc = rpcOver(watch.order);
    await watch.looked();
    expect(order()).toEqual([]);
    const text = await rpc.getBlockNumber().catch(describeRpcError);
    expect(text).toBe('No endpoint of the network is of its chain: each answers with the id of another one.');
    await nodes[0]?.heal();
    await watch.looked();
    expect(await rpc.getBlockNumber()).toBe(100n);
  } finally {
    await watch.close();
  }
});

it('finds the one of three that is behind at the first look', async () => {
  const [first] = nodes as [FaultyRpc];
  await first.fail({ answers: { eth_blockNumber: '0x5a' } });
  const { watch, order } = watchAll(nodes.map(({ url }) => url));
  try {
    await watch.looked();
    expect(order()).toEqual([1, 2, 0]);
  } finally {
    await watch.close();
  }
});

it('does not take all others for behind because one claims blocks that nobody has', async () => {
  const [, , third] = nodes as [FaultyRpc, FaultyRpc, FaultyRpc];
  const { watch, order } = watchAll(nodes.map(({ url }) => url));
  try {
    await third.fail({ answers: { eth_blockNumber: '0xffffff' } });
    await watch.looked();
    expect([order(), watch.faults()]).toEqual([[0, 1, 2], []]);
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
