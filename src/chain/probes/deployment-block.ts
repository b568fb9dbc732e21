import { type Address, numberToHex } from 'viem';
import type { Rpc } from '../endpoints/rpc.ts';
import { answerOrRefusal } from '../node-answer.ts';

/**
 * The block in which a contract was deployed, by binary search. Undefined when the node has no state that is old enough, or when there is no
 * contract. Throws when the node does not answer.
 */
export async function findDeploymentBlock(rpc: Rpc, address: Address): Promise<bigint | undefined> {
  const head = await rpc.getBlockNumber({ cacheTime: 0 });
  if (!(await isDeployed(rpc, address, head))) return undefined;
  let [before, deployed] = [-1n, head];
  while (deployed - before > 1n) {
    const middle = (deployed + before) / 2n;
    const isDeployedThen = await isDeployed(rpc, address, middle);
    if (isDeployedThen === undefined) return undefined;
    if (isDeployedThen) deployed = middle;
    else before = middle;
  }
  return deployed;
}

/** Undefined when the node has no state of the block. */
async function isDeployed(rpc: Rpc, address: Address, block: bigint): Promise<boolean | undefined> {
  const code = await answerOrRefusal(
    () => rpc.request({ method: 'eth_getCode', params: [address, numberToHex(block)] }),
    () => rpc.getBlockNumber({ cacheTime: 0 }),
  );
  if ('refusal' in code || typeof code.answer !== 'string') return undefined;
  return code.answer !== '0x';
}
