import type { Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import type { Rpc } from '../endpoints/rpc.ts';

/** By what a token contract does an item at most once: an issue by its sequence number, a redemption by its account and message. */
export type ItemKey = { kind: 'issue'; token: Hex; sequence: bigint } | { kind: 'redeem'; token: Hex; account: Hex; messageHash: Hex };

/** Whether a token contract has decided an item, or its message was cancelled, by the state behind a block. Throws what the node throws. */
export function isItemDecided(rpc: Rpc, item: ItemKey, block: bigint | 'latest'): Promise<boolean> {
  const read = {
    address: item.token,
    abi: eMoneyTokenAbi,
    ...(block === 'latest' ? { blockTag: block } : { blockNumber: block }),
  } as const;
  return item.kind === 'issue'
    ? rpc.readContract({ ...read, functionName: 'sequenceUsed', args: [item.sequence] })
    : rpc.readContract({ ...read, functionName: 'messageUsed', args: [item.account, item.messageHash] });
}
