import { createPublicClient, custom, numberToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { offerFor, readFeeMarket, suggestFees } from '../../src/chain/fees.ts';
import type { Rpc } from '../../src/chain/endpoints/rpc.ts';

/** A node whose blocks paid these median tips, with this base fee for the next block and this suggestion. */
function node({ tips, nextBaseFee, suggestedTip }: { tips: bigint[] | undefined; nextBaseFee: bigint; suggestedTip: bigint }): Rpc {
  const history = {
    oldestBlock: '0x1',
    baseFeePerGas: [...(tips ?? []).map(() => '0x64'), numberToHex(nextBaseFee)],
    gasUsedRatio: (tips ?? []).map(() => 0.5),
    reward: (tips ?? []).map((tip) => [numberToHex(tip)]),
  };
  const request = async ({ method }: { method: string }) => {
    if (method === 'eth_maxPriorityFeePerGas') return numberToHex(suggestedTip);
    if (method === 'eth_getBlockByNumber') return { number: '0x5', baseFeePerGas: numberToHex(nextBaseFee), transactions: [] };
    if (method === 'eth_feeHistory' && tips) return history;
    throw Object.assign(new Error('the method does not exist'), { code: -32601 });
  };
  return createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) });
}

describe('the market', () => {
  it('has the base fee of the next block and the tip that the node suggests', async () => {
    const rpc = node({ tips: [5n, 9n, 7n], nextBaseFee: 120n, suggestedTip: 8n });
    expect(await readFeeMarket(rpc, 0n)).toEqual({ baseFeePerGas: 120n, tipPerGas: 8n });
  });

  it('has no higher tip than ten times what recent blocks paid, or what is believed without them', async () => {
    const rpc = node({ tips: [5n, 9n, 7n], nextBaseFee: 120n, suggestedTip: 10_000n });
    expect((await readFeeMarket(rpc, 0n)).tipPerGas).toBe(70n);
    expect((await readFeeMarket(rpc, 400n)).tipPerGas).toBe(400n);
  });

  it('has a tip of at most what is believed where most recent blocks are empty, whatever a stranger tips in another', async () => {
    const rpc = node({ tips: [0n, 300_000n, 0n], nextBaseFee: 120n, suggestedTip: 10_000n });
    expect((await readFeeMarket(rpc, 400n)).tipPerGas).toBe(400n);
  });

  it('is read from the head where there is no history', async () => {
    const rpc = node({ tips: undefined, nextBaseFee: 120n, suggestedTip: 8n });
    expect(await readFeeMarket(rpc, 50n)).toEqual({ baseFeePerGas: 120n, tipPerGas: 8n });
  });
});

describe('an offer', () => {
  it('is twice the base fee and the tip', async () => {
    expect(offerFor({ baseFeePerGas: 120n, tipPerGas: 8n })).toEqual({ maxFeePerGas: 248n, maxPriorityFeePerGas: 8n });
    const rpc = node({ tips: [], nextBaseFee: 120n, suggestedTip: 1_000n });
    expect(await suggestFees(rpc)).toEqual({ maxFeePerGas: 1_240n, maxPriorityFeePerGas: 1_000n });
  });
});
