import { type Hex, hexToBigInt, size } from 'viem';
import type { Rpc } from './endpoints/rpc.ts';

/** Creation code that returns the gas it was given (GAS, MSTORE, RETURN). */
const gasCode: Hex = '0x5a60005260206000f3';

/**
 * The gas that a node provides for a call of no stated gas at a block. Every node serves this call, so it also shows whether a node answers at
 * all. Throws when it does not.
 */
export async function callGas(rpc: Rpc, block: Hex | 'latest'): Promise<bigint> {
  const result: unknown = await rpc.request({ method: 'eth_call', params: [{ data: gasCode }, block] });
  if (typeof result !== 'string' || size(result as Hex) !== 32)
    throw new Error('the node answered eth_call with something else than a word');
  return hexToBigInt(result as Hex);
}
