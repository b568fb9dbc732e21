import { createPublicClient, custom, numberToHex, parseGwei } from 'viem';
import { describe, expect, it } from 'vitest';
import { readAgreedMarket, readMarket } from '../../src/chain/agreed-market.ts';
import type { Endpoint } from '../../src/chain/endpoints/endpoints.ts';
import type { NetworkSettings } from '../../src/platform/settings.ts';

const network = { feeCeilingGwei: 100, transactionFeeCeiling: 1 } as NetworkSettings;

/** An endpoint with this base fee; without it, one that fails or hangs. */
function endpoint(name: string, baseFeeGwei: number | 'fails' | 'hangs'): Endpoint {
  const request = async ({ method }: { method: string }) => {
    if (baseFeeGwei === 'hangs') return new Promise(() => {});
    if (baseFeeGwei === 'fails') throw Object.assign(new Error('out of order'), { code: -32603 });
    if (method === 'eth_maxPriorityFeePerGas') return '0x5';
    return { oldestBlock: '0x1', baseFeePerGas: [numberToHex(parseGwei(`${baseFeeGwei}`))], gasUsedRatio: [], reward: [] };
  };
  return { name, rpc: createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) }) };
}
const deps = (endpoints: Endpoint[]) => ({ rpc: (endpoints[0] as Endpoint).rpc, endpoints, network });

describe('the market for a new transaction', () => {
  it('is what the first endpoint says while that is usual', async () => {
    const market = await readMarket(deps([endpoint('a', 1), endpoint('b', 3), endpoint('c', 3)]));
    expect(market).toEqual({ baseFeePerGas: parseGwei('1'), tipPerGas: 5n, sources: '' });
  });

  it('is what most endpoints say when the first asks for many times as much', async () => {
    const market = await readMarket(deps([endpoint('a', 1_000_000), endpoint('b', 3), endpoint('c', 2)]));
    expect(market.baseFeePerGas).toBe(parseGwei('3'));
    expect(market.sources).toBe('a says 1000000 gwei, b says 3 gwei, c says 2 gwei');
  });

  it('is what a single endpoint says, however much', async () => {
    expect((await readMarket(deps([endpoint('a', 1_000)]))).baseFeePerGas).toBe(parseGwei('1000'));
  });
});

describe('the market for a transaction that no block takes', () => {
  it('is not what the first endpoint says when that is next to nothing', async () => {
    const market = await readAgreedMarket(deps([endpoint('a', 0), endpoint('b', 3), endpoint('c', 3)]));
    expect(market.baseFeePerGas).toBe(parseGwei('3'));
  });

  it('is the lower of two', async () => {
    expect((await readAgreedMarket(deps([endpoint('a', 9), endpoint('b', 3)]))).baseFeePerGas).toBe(parseGwei('3'));
  });

  it('is known while one endpoint fails and another hangs, and unknown when none answers', async () => {
    const market = await readAgreedMarket(deps([endpoint('a', 'hangs'), endpoint('b', 3), endpoint('c', 'fails')]));
    expect(market.baseFeePerGas).toBe(parseGwei('3'));
    await expect(readAgreedMarket(deps([endpoint('a', 'fails'), endpoint('b', 'fails')]))).rejects.toThrow('out of order');
  });
});
