import type { Hex } from 'viem';
import type { Endpoint } from '../../../chain/endpoints/endpoints.ts';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';

/** What used a nonce of a signer, and in which block. */
export interface NonceUser {
  /**
   * The signer's transaction. Undefined when the block shows that there is none: an account that has code, by EIP-7702, raises its nonce when it
   * creates contracts, in a transaction of anybody, and so does an authorisation of its key.
   */
  hash: Hex | undefined;
  blockNumber: bigint;
}

interface NonceSearch {
  signer: LowerAddress;
  nonce: bigint;
  /** Newest block of the chain. */
  head: bigint;
  /** Clients of the single endpoints: what `rpc` does not show in the block, another may. */
  endpoints?: readonly Endpoint[] | undefined;
}

type TransactionsOfSigner = { hash: Hex; nonce: bigint }[];

/** First distance from the head at which the count is looked up; a nonce that is found used was used a few blocks ago. */
const firstStepBlocks = 8n;

/** Farthest distance. Nodes without an archive know the counts of the last 128 blocks, and refuse earlier ones. */
const farthestBlocks = 65_536n;

/**
 * Finds what used a nonce of a signer: by bisection the block at which the signer's count passed it, then in that block the transaction
 * itself. That takes about a dozen requests. Undefined when the node cannot tell: it lags behind `head`, has forgotten the counts,
 * contradicts itself or fails.
 */
export async function findNonceUser(rpc: Rpc, search: NonceSearch): Promise<NonceUser | undefined> {
  const { signer, nonce, head, endpoints = [] } = search;
  try {
    const countAt = async (blockNumber: bigint) => BigInt(await rpc.getTransactionCount({ address: signer, blockNumber }));
    const blockNumber = await firstUsedBlock(async (block) => (await countAt(block)) > nonce, head);
    if (blockNumber === undefined) return undefined;
    const transactions = await transactionsIn(rpc, blockNumber, signer);
    const user = transactions.find((transaction) => transaction.nonce === nonce);
    if (user) return { hash: user.hash, blockNumber };
    const [before, after] = await Promise.all([blockNumber > 0n ? countAt(blockNumber - 1n) : 0n, countAt(blockNumber)]);
    if (!isRaisedWithoutTransaction(transactions, { before, after })) return undefined;
    // The counts and the block may come from nodes on different forks.
    const elsewhere = await Promise.all(endpoints.map((endpoint) => transactionsIn(endpoint.rpc, blockNumber, signer).catch(() => [])));
    return { hash: elsewhere.flat().find((transaction) => transaction.nonce === nonce)?.hash, blockNumber };
  } catch {
    return undefined;
  }
}

async function transactionsIn(rpc: Rpc, blockNumber: bigint, signer: LowerAddress): Promise<TransactionsOfSigner> {
  const { transactions } = await rpc.getBlock({ blockNumber, includeTransactions: true });
  const ofSigner = transactions.filter(({ from }) => from.toLowerCase() === signer);
  return ofSigner.map(({ hash, nonce }) => ({ hash, nonce: BigInt(nonce) }));
}

/** Whether the count rose by more than the signer's transactions in the block. A node whose counts do not fit its block shows nothing. */
function isRaisedWithoutTransaction(transactions: TransactionsOfSigner, { before, after }: { before: bigint; after: bigint }): boolean {
  const fits = transactions.every(({ nonce }) => nonce >= before && nonce < after);
  return fits && after - before > BigInt(transactions.length);
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
