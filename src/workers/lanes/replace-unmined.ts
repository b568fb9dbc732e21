import { type Fees, replacementFees, suggestFees } from '../../chain/fees.ts';
import type { Rpc } from '../../chain/rpc.ts';
import { type Signer, signWithFees } from '../../chain/signers/signer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { markFailed, markUnmined, type OpenTransaction, rawTransaction, recordReplacement } from '../../ledger/lanes/transactions.ts';
import type { Log } from '../../platform/log.ts';
import type { Alarms } from '../alarms.ts';
import { broadcast } from './broadcast.ts';

/** Blocks without being mined after which a transaction is rebroadcast: it may have been dropped from the pool. */
const rebroadcastAfterBlocks = 2n;

/** Blocks after which it is replaced with higher fees. Three full blocks in a row mean that the fees it offers are too low. */
const replaceAfterBlocks = 3n;

/** Blocks after which a transaction whose nonce was used by another one is given up. Sending its legs again is harmless even if that is wrong. */
const lostAfterBlocks = 20n;

/** What an unmined transaction needs: the signer is the one that signed it. */
export interface UnminedDeps {
  ledger: Ledger;
  rpc: Rpc;
  signer: Signer;
  log: Log;
  alarms: Alarms;
}

/** What a look at a transaction without a receipt found. */
export interface UnminedState {
  /** The head. */
  block: bigint;
  isFirstPass: boolean;
  /** Whether no transaction with a lower nonce is unmined: this one alone holds up all others. */
  isLowest: boolean;
  /** Whether the chain has mined some transaction with its nonce. */
  nonceIsUsed: boolean;
}

/**
 * Rebroadcasts a transaction that is in no block, replaces it with higher fees or gives it up, depending on how many blocks it has
 * waited.
 */
export async function handleUnmined(
  deps: UnminedDeps,
  transaction: OpenTransaction,
  { block, isFirstPass, isLowest, nonceIsUsed }: UnminedState,
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

async function rebroadcast(deps: UnminedDeps, { attempts }: OpenTransaction): Promise<void> {
  const hash = attempts[0]?.hash as string;
  await broadcast(deps, { hash, raw: await rawTransaction(deps.ledger, hash) });
}

/** Same nonce, same call, higher fees; recorded before it is broadcast, like the first. */
async function replace(deps: UnminedDeps, transaction: OpenTransaction, suggested: Fees, block: bigint): Promise<void> {
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
