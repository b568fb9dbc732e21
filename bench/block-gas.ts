import { createPublicClient, http } from 'viem';

/** How much of their gas limit the blocks between two blocks have used, in percent. Those two are left out: they are full by chance only. NaN where there are none between. */
export async function shareOfBlockGas(rpcUrl: string, first: number, last: number): Promise<number> {
  const node = createPublicClient({ transport: http(rpcUrl) });
  let [used, limit] = [0, 0];
  for (let number = first + 1; number < last; number += 1) {
    const { gasUsed, gasLimit } = await node.getBlock({ blockNumber: BigInt(number) });
    used += Number(gasUsed);
    limit += Number(gasLimit);
  }
  return (100 * used) / limit;
}
