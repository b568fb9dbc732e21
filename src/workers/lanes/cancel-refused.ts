import { feeCeiling, raisedOffer } from '../../chain/fee-policy.ts';
import type { FeeMarket } from '../../chain/fees.ts';
import { recordCancellation } from '../../ledger/lanes/transactions.ts';
import { type OpenTransaction, recordRefusal } from '../../ledger/lanes/unmined-transactions.ts';
import { tracesOfTransaction } from '../../ledger/orders/traces/order-traces.ts';
import { blocksSince } from './blocks-since.ts';
import { broadcast } from './broadcast.ts';
import type { UnminedDeps } from './unmined-deps.ts';
import { type SelfTransfer, selfTransferGasBound, signSelfTransfer } from './self-transfer.ts';

/** Refusals in a row after which a transaction is cancelled: a node may err once. */
const cancelAfterRefusals = 3;

/** Blocks over which they must be spread: what a block makes impossible, a later one may allow. */
const cancelAfterBlocks = 5n;

/** The market while no node tells it: the cancellation offers what the transaction did, and an eighth more. */
const nothingAsked: FeeMarket = { baseFeePerGas: 0n, tipPerGas: 0n };

/**
 * Counts a refusal of a transaction that can never be mined as it is. After several, spread over some blocks, it is cancelled: a transfer of
 * nothing to the signer itself uses up its nonce, and its legs go elsewhere. That is safe even when a node has the transaction all the same,
 * because the token does nothing twice.
 */
export async function countRefusal(
  deps: UnminedDeps,
  transaction: OpenTransaction,
  block: bigint,
  market: FeeMarket | undefined,
): Promise<void> {
  await recordRefusal(deps.ledger, transaction.id, block);
  const refusals = transaction.refusals + 1;
  const blocks = blocksSince(transaction.refusedSinceBlock ?? block, block);
  if (refusals < cancelAfterRefusals || blocks < cancelAfterBlocks) return;
  const cancellation = await signCancellation(deps, transaction, market);
  if (!cancellation || !isProgress(transaction, cancellation)) return;
  const { ledger, log } = deps;
  const traces = await tracesOfTransaction(ledger, transaction.id);
  await recordCancellation(ledger, transaction.id, cancellation, block);
  const facts = { txHash: cancellation.hash, replaces: transaction.attempts[0]?.hash, nonce: transaction.nonce.toString() };
  log.warn({ ...facts, ...traces }, 'transaction cancelled by a transfer to its own signer: the nodes refuse it for good');
  await broadcast(deps, { ...cancellation, traces });
}

/** Undefined while the signer does not sign: the transaction waits. */
async function signCancellation(
  deps: UnminedDeps,
  transaction: OpenTransaction,
  market: FeeMarket = nothingAsked,
): Promise<SelfTransfer | undefined> {
  const [newest] = transaction.attempts as [OpenTransaction['attempts'][number]];
  const ceiling = feeCeiling(deps.network, selfTransferGasBound);
  // No node has what it replaces, so that it need not offer more. It does where it may, in case one has.
  const fees = raisedOffer(newest, market, ceiling) ?? newest;
  return signSelfTransfer(deps, { nonce: transaction.nonce, fees }).catch(() => undefined);
}

/** A cancellation that is refused itself is signed again only with clearly more gas: nothing else about it can be mended. */
function isProgress({ kind, gasLimit }: OpenTransaction, cancellation: SelfTransfer): boolean {
  return kind !== 'cancel' || cancellation.gasLimit * 4n >= gasLimit * 5n;
}
