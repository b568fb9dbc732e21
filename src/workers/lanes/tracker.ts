import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Fees, replacementFees, suggestFees } from '../../chain/fees.ts';
import { isAlreadyKnown } from '../../chain/rpc.ts';
import { signWithFees } from '../../chain/signers/signer.ts';
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
import { messageOf } from '../../platform/errors.ts';
import type { LaneDeps } from './deps.ts';

/** Blocks without being mined after which a transaction is broadcast again: it may have been dropped from the pool. */
const rebroadcastAfter = 2n;

/** Blocks after which it is replaced with higher fees. Three full blocks in a row mean the offer is too low. */
const replaceAfter = 3n;

/** Blocks after which a transaction whose nonce was used by something else is given up. Resending its legs is harmless even if that is wrong. */
const lostAfter = 20n;

/** Blocks for which a mined transaction is followed after its legs ended; deeper reorganisations are left to the confirmation policy. */
const followedFor = 12n;

/**
 * Looks at every transaction of the lane that is not settled, once per block: mined, reverted, gone in a reorganisation,
 * dropped, too cheap or lost. Returns how many wait to be mined. A lane that begins sends all of those again.
 */
export async function trackTransactions(deps: LaneDeps, block: bigint, begins: boolean): Promise<number> {
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
      await pursue(deps, transaction, { block, begins, isLowest, nonceIsUsed: BigInt(used) > transaction.nonce });
      isLowest = false;
    }
  }
  await closeSettled(ledger, network.chain, signer.address, block - followedFor);
  return waiting;
}

async function findReceipt({ rpc }: LaneDeps, { attempts }: OpenTransaction): Promise<TransactionReceipt | undefined> {
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

async function recordReceipt({ ledger, log }: LaneDeps, transaction: OpenTransaction, receipt: TransactionReceipt): Promise<void> {
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

interface Circumstances {
  block: bigint;
  begins: boolean;
  isLowest: boolean;
  nonceIsUsed: boolean;
}

/** Goes after a transaction that is in no block. */
async function pursue(
  deps: LaneDeps,
  transaction: OpenTransaction,
  { block, begins, isLowest, nonceIsUsed }: Circumstances,
): Promise<void> {
  const { ledger, log } = deps;
  const facts = { txHash: transaction.attempts[0]?.hash, nonce: transaction.nonce.toString() };
  const age = block - transaction.sentAtBlock;
  if (transaction.state === 'mined') {
    log.warn(facts, 'a reorganisation took the transaction away: it is sent again');
    await markUnmined(ledger, transaction.id, block);
    await rebroadcast(deps, transaction);
  } else if (nonceIsUsed) {
    if (age < lostAfter) return;
    log.error(facts, 'the nonce was used by a transaction that is not ours: the legs are ready again');
    await markFailed(ledger, transaction.id, { state: 'lost' });
  } else if (age >= replaceAfter) {
    const suggested = await suggestFees(deps.rpc);
    const isTooCheap = (transaction.attempts[0]?.maxFeePerGas ?? 0n) < suggested.maxFeePerGas / 2n;
    if (isLowest || isTooCheap) await replace(deps, transaction, suggested, block);
    else await rebroadcast(deps, transaction);
  } else if (begins || age >= rebroadcastAfter) await rebroadcast(deps, transaction);
}

async function rebroadcast(deps: LaneDeps, { attempts }: OpenTransaction): Promise<void> {
  const hash = attempts[0]?.hash as string;
  await broadcastAgain(deps, hash, await rawTransaction(deps.ledger, hash));
}

/** Same nonce, same call, higher fees; recorded before it is broadcast, like the first. */
async function replace(deps: LaneDeps, transaction: OpenTransaction, suggested: Fees, block: bigint): Promise<void> {
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
  await broadcastAgain(deps, hash, raw);
}

async function broadcastAgain({ rpc, log }: LaneDeps, txHash: string, raw: Hex): Promise<void> {
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
  } catch (error) {
    if (!isAlreadyKnown(error)) log.warn({ txHash, err: messageOf(error) }, 'broadcast failed; it will be repeated');
  }
}
