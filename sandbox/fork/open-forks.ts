import { type Address, createPublicClient, http } from 'viem';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { firstFreeSequence } from '../chains/first-free-sequence.ts';
import { listTokenOpenings, recordTokenOpening } from '../../src/ledger/lanes/token-openings.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { type Chain, chainIds, chainsOf } from '../../src/platform/chains.ts';
import { type Currency, toMinorUnits, tokenUnits } from '../../src/platform/money.ts';
import { type Instance, operatorKeys } from '../instance.ts';
import { takeOverToken } from './take-over-token.ts';

/** Where the chains of forks, and the states behind their last blocks of the live networks, are read. */
export interface ForkEndpoints {
  rpcUrls: Record<string, string>;
  sourceUrls: Partial<Record<Chain, string>>;
}

/** Makes the tokens that forks inherit usable: the signers may issue and redeem them, and the ledger opens their books. It can be repeated. */
export async function openForks(ledger: Ledger, instance: Instance, { rpcUrls, sourceUrls }: ForkEndpoints): Promise<void> {
  const operators = operatorKeys(instance).map(({ address }) => address);
  const opened = new Set((await listTokenOpenings(ledger)).map(({ chain, token }) => `${chain} ${token}`));
  for (const chain of chainsOf(instance.forks ?? {})) {
    const { block = 0, inherited = {} } = instance.forks?.[chain] ?? {};
    for (const [name, address] of Object.entries(inherited)) {
      const currency = name as Currency;
      const token = lowerAddress(address);
      await takeOverToken({ url: rpcUrls[chain] ?? '', chainId: chainIds[chain], token: address, operators });
      if (opened.has(`${chain} ${token}`)) continue;
      const state = await stateBehind(sourceUrls[chain] ?? '', address, BigInt(block));
      const opening = { chain, currency, token, block: BigInt(block), supply: toMinorUnits(tokenUnits(state.supply)) };
      await recordTokenOpening(ledger, opening, state.firstFree);
    }
  }
}

/** Read from the source, because Anvil has no state of past blocks after a restart. */
async function stateBehind(url: string, address: Address, blockNumber: bigint): Promise<{ supply: bigint; firstFree: bigint }> {
  const client = createPublicClient({ transport: http(url, { retryCount: 0, timeout: 90_000 }) });
  const read = { address, abi: eMoneyTokenAbi, blockNumber } as const;
  const supply = await client.readContract({ ...read, functionName: 'totalSupply' });
  const firstFree = await firstFreeSequence((sequence) => client.readContract({ ...read, functionName: 'sequenceUsed', args: [sequence] }));
  return { supply, firstFree };
}
