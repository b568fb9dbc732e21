import type { Hex } from 'viem';
import type { Rpc } from '../../../chain/rpc.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';

/** The transaction that used a nonce, and the block that has it. */
export interface NonceUser {
  hash: Hex;
  blockNumber: bigint;
}

/** First distance from the head at which the count is looked up; a nonce that is found used was used a few blocks ago. */
const firstStepBlocks = 8n;

/** Farthest distance. Nodes without an archive know the counts of the last 128 blocks, and refuse earlier ones. */
const farthestBlocks = 65_536n;

/**
 * Finds the transaction that used a nonce of a signer: by bisection the block at which the signer's count passed it, then in that block the
 * transaction itself. That takes about ten requests. Undefined when the node cannot tell: it lags behind `head`, has forgotten the
 * counts or fails.
 */
export async function findNonceUser(
  rpc: Rpc,
  { signer, nonce, head }: { signer: LowerAddress; nonce: bigint; head: bigint },
): Promise<NonceUser | undefined> {
  try {
    const isUsedAt = async (blockNumber: bigint) => BigInt(await rpc.getTransactionCount({ address: signer, blockNumber })) > nonce;
    const blockNumber = await firstUsedBlock(isUsedAt, head);
    if (blockNumber === undefined) return undefined;
    const { transactions } = await rpc.getBlock({ blockNumber, includeTransactions: true });
    const user = transactions.find(({ from, nonce: used }) => from.toLowerCase() === signer && BigInt(used) === nonce);
    return user && { hash: user.hash, blockNumber };
  } catch {
    return undefined;
  }
}

async function firstUsedBlock(isUsedAt: (block: bigint) => Promise<boolean>, head: bigint): Promise<bigint | undefined> {
  if (!(await isUsedAt(head))) return undefined;
  let used = head;
  let unused = -1n;
  for (let step = firstStepBlocks; step <= head; step *= 2n) {
    if (step > farthestBlocks) return undefined;
    const block = head - step;
    if (await isUsedAt(block)) used = block;
    else {
      unused = block;
      break;
    }
  }
  while (used - unused > 1n) {
    const middle = (used + unused) / 2n;
    if (await isUsedAt(middle)) used = middle;
    else unused = middle;
  }
  return used;
}
