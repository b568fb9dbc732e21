import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEndpoints } from '../../../src/chain/endpoints/endpoints.ts';
import { startEndpointProxy } from '../../../src/workers/indexer/endpoint-proxy.ts';
import { type Anvil, startAnvil } from '../../support/chain/anvil.ts';
import { connectLocalChain, transact } from '../../support/chain/local-chain.ts';
import { type FaultyRpc, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';

/** Deploys a contract without code, and emits a log without topics. */
const logging: Hex = '0x60006000a000';

let anvil: Anvil;
let node: FaultyRpc;
beforeAll(async () => void (anvil = await startAnvil({ chainId: 10_200 })));
afterAll(() => anvil.stop());
beforeEach(async () => void (node = await startFaultyRpc(anvil.url)));
afterEach(() => node.close());

async function ask(method: string, params: unknown[], url: string) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) });
  return { status: response.status, body: (await response.json()) as object };
}

it('answers with the logs of a block that the first endpoint denies, asks it last, and lets it be known when it denies them again', async () => {
  const { blockHash } = await transact(connectLocalChain(anvil.url, 10_200), { data: logging });
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [node.url, anvil.url] });
  const both = await startEndpointProxy({ endpoints, quorum: 2 });
  const askLogs = () => ask('eth_getLogs', [{ blockHash }], both.url);
  try {
    await node.fail({ lies: { eth_getLogs: () => [] } });
    const logs = { status: 200, body: { result: [{ blockHash }] } };
    expect(await askLogs()).toMatchObject(logs);
    const asked = node.requests('eth_getLogs');
    await until('the denial lasts', async () => {
      expect(await askLogs()).toMatchObject(logs);
      return endpoints[0]?.health.failures.lasting();
    });
    expect(node.requests('eth_getLogs')).toBeGreaterThan(asked);
    expect(endpoints[1]?.health.failures.lasting()).toBeUndefined();
    expect(endpoints[0]?.health.rest()).toBeUndefined();
  } finally {
    await both.close();
  }
});

it('answers that a block has no logs when no other endpoint has any, or answers', async () => {
  const other = await startFaultyRpc(anvil.url);
  const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [node.url, other.url] });
  const both = await startEndpointProxy({ endpoints, quorum: 2 });
  const chain = connectLocalChain(anvil.url, 10_200);
  await chain.mine({ blocks: 1 });
  const { hash: blockHash } = await chain.getBlock();
  try {
    for (const fault of [{ lateMs: 0 }, 'hangs', 'refuses'] as const) {
      await other.fail(fault);
      expect(await ask('eth_getLogs', [{ blockHash }], both.url)).toMatchObject({ status: 200, body: { result: [] } });
    }
    expect(endpoints.map(({ health }) => health.failures.has('eth_getLogs'))).toEqual([false, false]);
  } finally {
    await Promise.all([both.close(), other.close()]);
  }
});
