import { type Hex, hexToBigInt, size } from 'viem';
import type { Rpc } from './rpc.ts';

/** Creation code that returns the gas it was given (GAS, MSTORE, RETURN). */
const gasCode: Hex = '0x5a60005260206000f3';

/** The gas that a node lends to a call at a block: a call that any node carries out. Throws when it does not. */
export async function lentGas(rpc: Rpc, block: Hex | 'latest'): Promise<bigint> {
  const result: unknown = await rpc.request({ method: 'eth_call', params: [{ data: gasCode }, block] });
  if (typeof result !== 'string' || size(result as Hex) !== 32) throw new Error('the node answered something else than was asked');
  return hexToBigInt(result as Hex);
}
