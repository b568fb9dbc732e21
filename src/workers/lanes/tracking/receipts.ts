import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Rpc } from '../../../chain/rpc.ts';

/** Blocks below the head in which a transaction is looked for, to see whether the node serves receipts. */
const controlBlocks = 8n;

/** The receipt of a transaction; undefined when the node has none. Throws when the node does not answer. */
export async function findReceipt(rpc: Rpc, hash: string): Promise<TransactionReceipt | undefined> {
  try {
    return await rpc.getTransactionReceipt({ hash: hash as Hex });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Whether a node has the receipt of some transaction of a recent block. False as well when the recent blocks are empty, since nothing shows that
 * it has. Throws when the node does not answer.
 */
export async function servesReceipts(rpc: Rpc, head: bigint): Promise<boolean> {
  for (let blockNumber = head; blockNumber >= 0n && blockNumber > head - controlBlocks; blockNumber -= 1n) {
    const [hash] = (await rpc.getBlock({ blockNumber })).transactions;
    if (hash !== undefined) return (await findReceipt(rpc, hash)) !== undefined;
  }
  return false;
}
