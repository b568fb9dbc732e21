import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import {
  closeSettled,
  markFailed,
  liveNonces,
  markMined,
  type OpenTransaction,
  openTransactions,
} from '../../ledger/lanes/transactions.ts';
import type { Nonces } from './nonces.ts';
import { handleUnmined, marketOnce } from './replace-unmined.ts';
import { clearUnminedAlarms } from './unmined-alarms.ts';
import type { UnminedDeps } from './unmined-deps.ts';

/** Blocks for which a mined transaction is tracked after its legs ended; deeper reorganisations are left to the confirmation policy. */
const trackedForBlocks = 12n;

/** What the tracking of transactions needs. */
export interface TrackerDeps extends UnminedDeps {
  /** Called with each receipt that is recorded, for the metrics; once more after a reorganisation. */
  onReceipt?: ((receipt: Pick<TransactionReceipt, 'status' | 'gasUsed'>) => void) | undefined;
}

/** What a pass over the transactions of a lane begins with; it updates the nonces. */
export interface Pass {
  /** The head. */
  block: bigint;
  /** Whether the lane was just taken: then what is in no block is rebroadcast. */
  isFirstPass: boolean;
  nonces: Nonces;
}

/**
 * Looks at every transaction of the lane that is not settled, once per block: mined, reverted, gone in a reorganisation,
 * dropped, too cheap or lost. In the first pass of a lane that was just taken, all in no block are rebroadcast.
 */
export async function trackTransactions(deps: TrackerDeps, { block, isFirstPass, nonces }: Pass): Promise<void> {
  const { ledger, rpc, signer, network } = deps;
  const lane = { chain: network.chain, signer: signer.address };
  const open = await openTransactions(ledger, network.chain, signer.address);
  const [receipts, count] = await Promise.all([
    Promise.all(open.map((transaction) => findReceipt(deps, transaction))),
    rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }).then(BigInt),
  ]);
  const market = marketOnce(deps);
  const unmined = open.filter((_, index) => receipts[index] === undefined);
  clearUnminedAlarms(deps, unmined);
  let isLowest = true;
  for (const [index, transaction] of open.entries()) {
    const receipt = receipts[index];
    if (receipt) await recordReceipt(deps, transaction, receipt);
    else {
      await handleUnmined(deps, transaction, { block, isFirstPass, isLowest, nonceIsUsed: count > transaction.nonce, market });
      isLowest = false;
    }
  }
  await closeSettled(ledger, network.chain, signer.address, block - trackedForBlocks);
  nonces.update(count, await liveNonces(ledger, lane, count));
}

async function findReceipt({ rpc }: TrackerDeps, { attempts }: OpenTransaction): Promise<TransactionReceipt | undefined> {
  const receipts = await Promise.all(
    attempts.map(async ({ hash }) => {
      try {
        return await rpc.getTransactionReceipt({ hash: hash as Hex });
      } catch (error) {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      }
    }),
  );
  return receipts.find((receipt) => receipt !== undefined);
}

async function recordReceipt(
  { ledger, log, onReceipt }: TrackerDeps,
  transaction: OpenTransaction,
  receipt: TransactionReceipt,
): Promise<void> {
  const mined = { hash: receipt.transactionHash, blockNumber: receipt.blockNumber, gasUsed: receipt.gasUsed };
  const facts = { txHash: mined.hash, nonce: transaction.nonce.toString(), block: mined.blockNumber.toString() };
  if (receipt.status === 'reverted') {
    log.error(facts, 'transaction reverted: its legs are ready again; the next estimate shows the cause');
    await markFailed(ledger, transaction.id, { state: 'reverted', ...mined });
    onReceipt?.(receipt);
  } else if (transaction.state === 'sent' || transaction.blockNumber !== mined.blockNumber || transaction.hash !== mined.hash) {
    log.info({ ...facts, gasUsed: mined.gasUsed.toString() }, 'transaction mined');
    await markMined(ledger, transaction.id, mined);
    onReceipt?.(receipt);
  }
}
