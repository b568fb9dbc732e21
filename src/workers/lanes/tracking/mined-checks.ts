import { BaseError } from 'viem';
import type { Head } from '../../../chain/head.ts';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import { closablePage, closeSettled, type MinedTransaction, newestMined } from '../../../ledger/lanes/mined-transactions.ts';
import { markUnmined } from '../../../ledger/lanes/transactions.ts';
import { tracesOfTransaction } from '../../../ledger/orders/traces/order-traces.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';
import type { NetworkSettings } from '../../../platform/settings.ts';
import { logFailedAnswer } from './failed-answer.ts';
import { findReceipt } from './receipts.ts';
import { type ReceiptDeps, recordReceipt } from './record-receipt.ts';

/** Blocks on top of a mined transaction before it is closed; deeper reorganisations show in the count alone. */
const closedAfterBlocks = 12n;

/** Receipts that are looked at again per block: as many transactions as a lane has mined in one. */
const checksPerBlock = 16;

/** Newest mined transactions that a reorganisation may have moved. */
const recheckedTransactions = 64;

/** Mined transactions that are considered for closing per block; the next block goes on after them. */
const consideredPerBlock = 64;

interface MinedChecksDeps extends ReceiptDeps {
  rpc: Rpc;
  head: Pick<Head, 'ancestor'>;
  signer: { address: LowerAddress };
  network: NetworkSettings;
}

/** Looks at mined transactions again: when the lane is taken, after a reorganisation, and once more before they are closed. */
export interface MinedChecks {
  /** A reorganisation was noticed: the newest mined transactions are looked at again, some at each block. */
  recheck(): void;
  /**
   * Looks at some at the head `block`: at no more than {@link checksPerBlock}, however many there are. Those that can be closed are looked for once in
   * {@link closedAfterBlocks}. `isMore` says that one is in a block now that was in none before: nobody but the lane has them mined. Returns whether what is recorded
   * of one has changed, so that it may be in no block now.
   */
  run(block: bigint, isMore: boolean): Promise<boolean>;
}

/** Creates the checks of one lane. */
export function createMinedChecks(deps: MinedChecksDeps): MinedChecks {
  const { ledger, rpc, signer, network, head, log } = deps;
  const lane = { chain: network.chain, signer: signer.address };
  let recheckBelow: bigint | undefined;
  // A reorganisation while nobody held the lane was noticed by nobody, and its nonces may have been used since.
  let recheckLeft = recheckedTransactions;
  let consideredUpTo = -1n;
  /** The block at which those that can be closed are looked for; undefined while there are none. */
  let dueAt: bigint | undefined = 0n;
  let hasChanged = false;

  /** Whether the transaction is in the block that the ledger has recorded. If not, what the node says instead is recorded. */
  async function isStillMined(transaction: MinedTransaction, block: bigint): Promise<boolean> {
    const { id, nonce, hash, blockHash, blockNumber } = transaction;
    const receipt = await findReceipt(rpc, hash);
    if (receipt?.status === 'success' && receipt.blockNumber === blockNumber && (blockHash ?? receipt.blockHash) === receipt.blockHash)
      return true;
    hasChanged = true;
    if (receipt) await recordReceipt(deps, transaction, receipt);
    else {
      const traces = await tracesOfTransaction(ledger, id);
      log.warn(
        { txHash: hash, nonce: nonce.toString(), ...traces },
        'a mined transaction has no receipt any more: its nonce is looked into',
      );
      await markUnmined(ledger, id, block);
    }
    return false;
  }

  async function recheckNewest(block: bigint): Promise<number> {
    if (recheckLeft === 0) return 0;
    const transactions = await newestMined(ledger, lane, recheckBelow, Math.min(checksPerBlock, recheckLeft));
    const isKept = createBlockCheck();
    for (const transaction of transactions) {
      // A node that does not answer is asked again at the next block.
      if (!(await isKept(transaction))) await isStillMined(transaction, block);
      recheckBelow = transaction.nonce;
      recheckLeft -= 1;
    }
    if (transactions.length === 0) recheckLeft = 0;
    return transactions.length;
  }

  async function closeDeep(block: bigint, limit: number): Promise<void> {
    const page = await closablePage(ledger, { ...lane, above: consideredUpTo, upTo: block - closedAfterBlocks, limit: consideredPerBlock });
    const isWhole = page.length < consideredPerBlock && consideredUpTo < 0n;
    const closable = page.filter(({ isClosable }) => isClosable).slice(0, limit);
    const verified: string[] = [];
    const isKept = createBlockCheck();
    for (const transaction of closable) {
      const isMined = await isKept(transaction)
        .then((kept) => kept || isStillMined(transaction, block))
        .catch((error: unknown) => logFailedAnswer(log, error, transaction.nonce));
      if (isMined === true) verified.push(transaction.id);
    }
    await closeSettled(ledger, verified);
    const isLastPage = page.length < consideredPerBlock;
    consideredUpTo = isLastPage || closable.length === limit ? -1n : (page.at(-1)?.nonce ?? -1n);
    if (!isWhole || closable.length === limit) dueAt = 0n;
    else dueAt = page.length > verified.length ? block + closedAfterBlocks : undefined;
  }

  /**
   * Whether the chain still has a transaction's block, by its hash, and so the transaction. The blocks that the head descends from are known; another is
   * asked for once for all its transactions.
   */
  function createBlockCheck(): (transaction: MinedTransaction) => Promise<boolean> {
    const hashes = new Map<bigint, Promise<string>>();
    return async ({ blockNumber, blockHash }) => {
      if (blockHash === null) return false;
      const known = head.ancestor(blockNumber);
      if (known !== undefined) return known === blockHash;
      const hash = hashes.get(blockNumber) ?? rpc.getBlock({ blockNumber }).then((answer) => answer.hash);
      hashes.set(blockNumber, hash);
      return (await hash) === blockHash;
    };
  }

  return {
    recheck() {
      recheckBelow = undefined;
      recheckLeft = recheckedTransactions;
      // Their blocks may be others.
      dueAt &&= 0n;
    },
    async run(block, isMore) {
      if (isMore) dueAt ??= block + closedAfterBlocks;
      if (dueAt === undefined) recheckLeft = 0;
      if (dueAt === undefined || (dueAt > block && recheckLeft === 0)) return false;
      hasChanged = false;
      try {
        const checked = await recheckNewest(block);
        await closeDeep(block, checksPerBlock - checked);
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
        logFailedAnswer(log, error);
      }
      return hasChanged;
    },
  };
}
