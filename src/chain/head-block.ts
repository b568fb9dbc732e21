import type { Hex } from 'viem';
import type { Rpc } from './endpoints/rpc.ts';

/** What a chain's newest block says of itself. */
export interface HeadBlock {
  number: bigint;
  hash: Hex;
  parentHash: Hex;
  /** Wei per gas; 0 where the chain has no base fee. */
  baseFeePerGas: bigint;
}

/** The newest block that a node knows. Throws what the node throws. */
export async function newestBlock(rpc: Rpc): Promise<HeadBlock> {
  const { number, hash, parentHash, baseFeePerGas } = await rpc.getBlock({ blockTag: 'latest' });
  return { number, hash, parentHash, baseFeePerGas: baseFeePerGas ?? 0n };
}
