import type { Address, Hex } from 'viem';
import { numberToHex } from 'viem';
import type { LocalChain } from '../support/chain/local-chain.ts';

/** What transactions of operators have cost: their number, their gas, and what was paid for it in wei. */
export interface GasSpent {
  transactions: number;
  gas: bigint;
  wei: bigint;
}

/** Returns what the transactions of these accounts have cost since now, read from the receipts of all blocks. */
export async function createGasMeter(chain: LocalChain, accounts: readonly Address[]): Promise<() => Promise<GasSpent>> {
  const payers = new Set(accounts.map((account) => account.toLowerCase()));
  const first = (await chain.getBlockNumber()) + 1n;
  return async () => {
    const spent: GasSpent = { transactions: 0, gas: 0n, wei: 0n };
    const last = await chain.getBlockNumber();
    for (let block = first; block <= last; block += 1n) {
      const receipts = (await chain.request<ReceiptsOfBlock>({ method: 'eth_getBlockReceipts', params: [numberToHex(block)] })) ?? [];
      for (const { gasUsed, effectiveGasPrice } of receipts.filter(({ from }) => payers.has(from.toLowerCase()))) {
        spent.transactions += 1;
        spent.gas += BigInt(gasUsed);
        spent.wei += BigInt(gasUsed) * BigInt(effectiveGasPrice);
      }
    }
    return spent;
  };
}

interface ReceiptsOfBlock {
  Method: 'eth_getBlockReceipts';
  Parameters: [Hex];
  ReturnType: { from: Address; gasUsed: Hex; effectiveGasPrice: Hex }[] | null;
}
