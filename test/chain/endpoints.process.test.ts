import { beforeEach, afterEach, expect, it } from 'vitest';
import { createEndpoints } from '../../src/chain/endpoints/endpoints.ts';
import { rpcOver } from '../../src/chain/endpoints/rpc.ts';
import { type FaultyRpc, type RpcFault, startFaultyRpc } from '../support/chain/rpc-faults.ts';
import { startLocalChain } from '../support/chain/local-chain.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const chain = forWholeFile(() => startLocalChain({ chainId: 10_200 }));
let faulty: FaultyRpc;
beforeEach(async () => void (faulty = await startFaultyRpc(chain.url)));
afterEach(() => faulty.close());

it.each<RpcFault>(['hangs', 'cuts', 'refuses', 'not JSON', { status: 429 }, { status: 503 }])(
  'while the first endpoint fails (%j), all who share it ask the next one and wait for it once',
  async (fault) => {
    const endpoints = createEndpoints({ chain: 'chiado', rpcUrls: [faulty.url, chain.url] });
    const [first] = endpoints;
    const rpc = rpcOver(endpoints);
    await faulty.fail(fault);
    expect(await rpc.getChainId()).toBe(10_200);
    await expect.poll(() => first?.health.rest()).toBeDefined();
    const asked = faulty.requests();
    expect(asked).toBeLessThanOrEqual(1);
    for (let count = 0; count < 20; count += 1) expect(await rpc.getChainId()).toBe(10_200);
    await expect(first?.rpc.getBlockNumber()).rejects.toThrow();
    // A probe at most.
    expect(faulty.requests() - asked).toBeLessThanOrEqual(1);
    expect(first?.health.rest()).toBeDefined();
    await faulty.heal();
    await expect.poll(() => first?.rpc.getBlockNumber().catch(() => undefined)).toBeDefined();
    expect(first?.health.rest()).toBeUndefined();
  },
);

it('the only endpoint of a network is asked whatever it answered before', async () => {
  const [only] = createEndpoints({ chain: 'chiado', rpcUrls: [faulty.url] });
  await faulty.fail({ status: 503 });
  for (let count = 0; count < 3; count += 1) await expect(only?.rpc.getBlockNumber()).rejects.toThrow();
  expect(faulty.requests()).toBe(3);
});
