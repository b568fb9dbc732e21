import { type Address, numberToHex } from 'viem';
import type { Rpc } from '../rpc.ts';
import { answerOrRefusal } from './finding.ts';

/**
 * The block in which a contract came to be, found by halving; undefined where the node has no state that is old enough, or where there
 * is no contract. Throws when the node cannot be asked.
 */
export async function findDeploymentBlock(rpc: Rpc, address: Address): Promise<bigint | undefined> {
  const head = await rpc.getBlockNumber({ cacheTime: 0 });
  if (!(await isThere(rpc, address, head))) return undefined;
  let [before, there] = [-1n, head];
  while (there - before > 1n) {
    const middle = (there + before) / 2n;
    const found = await isThere(rpc, address, middle);
    if (found === undefined) return undefined;
    if (found) there = middle;
    else before = middle;
  }
  return there;
}

async function isThere(rpc: Rpc, address: Address, block: bigint): Promise<boolean | undefined> {
  const asked = await answerOrRefusal(
    () => rpc.request({ method: 'eth_getCode', params: [address, numberToHex(block)] }),
    () => rpc.getBlockNumber({ cacheTime: 0 }),
  );
  if ('refusal' in asked || typeof asked.answer !== 'string') return undefined;
  return asked.answer !== '0x';
}
