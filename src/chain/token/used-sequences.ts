import type { Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import type { Rpc } from '../rpc.ts';

/** Numbers behind the first that are looked at, too: some of those that were given out may be unused, because their transactions were lost. */
const lookAhead = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 16n, 32n, 64n, 128n, 256n, 512n, 1024n];

/** Whether a token contract has used a sequence number from `first` on, as far as that is looked at. Throws what the node throws. */
export async function isAnySequenceUsed(rpc: Pick<Rpc, 'readContract'>, token: Hex, first: bigint): Promise<boolean> {
  const read = { address: token, abi: eMoneyTokenAbi, functionName: 'sequenceUsed' } as const;
  const used = await Promise.all(lookAhead.map((step) => rpc.readContract({ ...read, args: [first + step] })));
  return used.includes(true);
}
