import type { Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import type { Rpc } from '../endpoints/rpc.ts';

/** Numbers that are all looked at: of a few that somebody used, or of those in a few lost transactions, none is missed. */
const closeNumbers = 32;

/** Numbers further on are only sampled: what used many numbers has used some of these. */
const stepsAhead = [...Array(closeNumbers).keys(), 32, 64, 128, 256, 512, 1024].map(BigInt);

/** Whether a token contract has used a sequence number from `first` on, as far as that is looked at: in one call. Throws what the node throws. */
export async function isAnySequenceUsed(rpc: Pick<Rpc, 'multicall'>, token: Hex, first: bigint): Promise<boolean> {
  const contracts = stepsAhead.map(
    (step) => ({ address: token, abi: eMoneyTokenAbi, functionName: 'sequenceUsed', args: [first + step] }) as const,
  );
  // Not every chain has the Multicall3 contract, so the call brings its code along. Size 0 means that nothing divides it.
  const used = await rpc.multicall({ contracts, allowFailure: false, deployless: true, batchSize: 0 });
  return used.includes(true);
}
