import { generatePrivateKey } from 'viem/accounts';
import type { SwapMaker } from '../../../src/api/swap-maker.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { parseTokenUnits } from '../../../src/platform/money.ts';

export const swapTokens = {
  eur: '0x1111111111111111111111111111111111111111',
  usd: '0x2222222222222222222222222222222222222222',
  gbp: '0x3333333333333333333333333333333333333333',
} as const;

export const settlement = lowerAddress('0x5e771e3e475e771e3e475e771e3e475e771e3e47');

export const rate = (text: string): bigint => parseTokenUnits(text) as bigint;

/** A desk with a key of its own: a euro is 1.25 dollars, 1 % of spread, and a pool of a million dollars. Pounds have no rate. */
export function createTestMaker(overrides: Partial<SwapMaker> = {}): SwapMaker {
  return {
    signer: createKeySigner(generatePrivateKey()),
    settlement,
    readRates: async () => ({ time: new Date(), usd: { eur: rate('1.25'), usd: rate('1') } }),
    spreadBps: 100n,
    depthUsd: 1_000_000n,
    quoteSeconds: 60,
    ...overrides,
  };
}

/** The network of swaps, for a test API. */
export const swapEnv = {
  ARBITRUMSEPOLIA_TOKENS: Object.entries(swapTokens)
    .map(([currency, token]) => `${currency}:${token}`)
    .join(','),
};
