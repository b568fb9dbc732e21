import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Fees, replacementFees, suggestFees } from '../../chain/fees.ts';
import type { Rpc } from '../../chain/rpc.ts';
import { type Signer, signWithFees } from '../../chain/signers/signer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  closeSettled,
  markFailed,
  markMined,
  markUnmined,
  type OpenTransaction,
  openTransactions,
  rawTransaction,
  recordReplacement,
} from '../../ledger/lanes/transactions.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { broadcast } from './broadcast.ts';

/** Blocks without being mined after which a transaction is rebroadcast: it may have been dropped from the pool. */
const rebroadcastAfterBlocks = 2n;

/** Blocks after which it is replaced with higher fees. Three full blocks in a row mean that the fees it offers are too low. */
const replaceAfterBlocks = 3n;

/** Blocks after which a transaction whose nonce was used by another one is given up. Sending its legs again is harmless even if that is wrong. */
const lostAfterBlocks = 20n;

/** Blocks for which a mined transaction is tracked after its legs ended; deeper reorganisations are left to the confirmation policy. */
const trackedForBlocks = 12n;

/** What the tracking of transactions needs. */
export interface TrackerDeps {
  ledger: Ledger;
  rpc: Rpc;
  signer: Signer;
  network: NetworkSettings;
  log: Log;
}

/**
 * Looks at every transaction of the lane that is not settled, once per block: mined, reverted, gone in a reorganisation,
 * dropped, too cheap or lost. Returns how many wait to be mined. In the first pass of a lane that was just taken, all of those are
 * rebroadcast.
 */
export async function trackTransactions(deps: TrackerDeps, block: bigint, isFirstPass: boolean): Promise<number> {
  const { ledger, rpc, signer, network } = deps;
  const open = await openTransactions(ledger, network.chain, signer.address);
  if (open.length === 0) return 0;
  const [receipts, used] = await Promise.all([
    Promise.all(open.map((transaction) => findReceipt(deps, transaction))),
    rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
  ]);
  let waiting = 0;
  let isLowest = true;
  for (const [index, transaction] of open.entries()) {
    const receipt = receipts[index];
    if (receipt) await recordReceipt(deps, transaction, receipt);
    else {
      waiting += 1;
      await handleUnmined(deps, transaction, { block, isFirstPass, isLowest, nonceIsUsed: BigInt(used) > transaction.nonce });
      isLowest = false;
    }
  }
  await closeSettled(ledger, network.chain, signer.address, block - trackedForBlocks);
  return waiting;
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

async function recordReceipt({ ledger, log }: TrackerDeps, transaction: OpenTransaction, receipt: TransactionReceipt): Promise<void> {
  const mined = { hash: receipt.transactionHash, blockNumber: receipt.blockNumber, gasUsed: receipt.gasUsed };
  const facts = { txHash: mined.hash, nonce: transaction.nonce.toString(), block: mined.blockNumber.toString() };
  if (receipt.status === 'reverted') {
    log.error(facts, 'transaction reverted: its legs are ready again; the next estimate tells the cause');
    await markFailed(ledger, transaction.id, { state: 'reverted', ...mined });
  } else if (transaction.state === 'sent' || transaction.blockNumber !== mined.blockNumber || transaction.hash !== mined.hash) {
    log.info({ ...facts, gasUsed: mined.gasUsed.toString() }, 'transaction mined');
    await markMined(ledger, transaction.id, mined);
  }
}

interface Pass {
  /** The head. */
  block: bigint;
  isFirstPass: boolean;
  /** Whether no transaction with a lower nonce is unmined: this one alone holds up all others. */
  isLowest: boolean;
  /** Whether the chain has mined some transaction with its nonce. */
  nonceIsUsed: boolean;
}

/** Rebroadcasts, replaces or gives up a transaction that is in no block. */
async function handleUnmined(
  deps: TrackerDeps,
  transaction: OpenTransaction,
  { block, isFirstPass, isLowest, nonceIsUsed }: Pass,
): Promise<void> {
  const { ledger, log } = deps;
  const facts = { txHash: transaction.attempts[0]?.hash, nonce: transaction.nonce.toString() };
  const age = block - transaction.sentAtBlock;
  if (transaction.state === 'mined') {
    log.warn(facts, 'a reorganisation took the transaction away: it is sent again');
    await markUnmined(ledger, transaction.id, block);
    await rebroadcast(deps, transaction);
  } else if (nonceIsUsed) {
    if (age < lostAfterBlocks) return;
    log.error(facts, 'the nonce was used by a transaction that is not ours: the legs are ready again');
    await markFailed(ledger, transaction.id, { state: 'lost' });
  } else if (age >= replaceAfterBlocks) {
    const suggested = await suggestFees(deps.rpc);
    const isTooCheap = (transaction.attempts[0]?.maxFeePerGas ?? 0n) < suggested.maxFeePerGas / 2n;
    if (isLowest || isTooCheap) await replace(deps, transaction, suggested, block);
    else await rebroadcast(deps, transaction);
  } else if (isFirstPass || age >= rebroadcastAfterBlocks) await rebroadcast(deps, transaction);
}

async function rebroadcast(deps: TrackerDeps, { attempts }: OpenTransaction): Promise<void> {
  const hash = attempts[0]?.hash as string;
  await broadcast(deps, { hash, raw: await rawTransaction(deps.ledger, hash) });
}

/** Same nonce, same call, higher fees; recorded before it is broadcast, like the first. */
async function replace(deps: TrackerDeps, transaction: OpenTransaction, suggested: Fees, block: bigint): Promise<void> {
  const { ledger, signer, log } = deps;
  const [newest] = transaction.attempts as [OpenTransaction['attempts'][number]];
  const fees = replacementFees(newest, suggested);
  // Without its signer the transaction stays as it is, and is kept in the pool.
  const signed = await signWithFees(signer, await rawTransaction(ledger, newest.hash), fees).catch(() => undefined);
  if (!signed) return rebroadcast(deps, transaction);
  const { raw, hash } = signed;
  await recordReplacement(ledger, transaction.id, { raw, hash, ...fees }, block);
  log.warn(
    { txHash: hash, replaces: newest.hash, nonce: transaction.nonce.toString(), maxFeePerGas: fees.maxFeePerGas.toString() },
    'transaction replaced with higher fees',
  );
  await broadcast(deps, signed);
}
