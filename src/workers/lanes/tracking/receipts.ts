import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';

/** Blocks in which a transaction is looked for at once, to see whether the node serves receipts. */
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

/** What a look for the receipt of some transaction showed. */
export interface ReceiptControl {
  /** Whether the node has it; undefined when the blocks that were looked at are empty, so that nothing shows whether it serves receipts. */
  isServed: boolean | undefined;
  /** The newest block that was not looked at. */
  next: bigint;
}

/** Looks for a receipt of the newest transaction in the eight blocks from `newest` down. Throws when the node does not answer. */
export async function controlReceipts(rpc: Rpc, newest: bigint): Promise<ReceiptControl> {
  let next = newest;
  for (; next >= 0n && next > newest - controlBlocks; next -= 1n) {
    const [hash] = (await rpc.getBlock({ blockNumber: next })).transactions;
    if (hash !== undefined) return { isServed: (await findReceipt(rpc, hash)) !== undefined, next: next - 1n };
  }
  return { isServed: undefined, next };
}
