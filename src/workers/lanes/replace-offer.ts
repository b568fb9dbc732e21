import { asksForMore, feeCeiling, loweredOffer, raisedOffer } from '../../chain/fee-policy.ts';
import type { FeeMarket, Fees } from '../../chain/fees.ts';
import type { Refusal } from '../../chain/refusals.ts';
import { signWithFees } from '../../chain/signers/signer.ts';
import { type OpenTransaction, rawTransaction, recordReplacement } from '../../ledger/lanes/transactions.ts';
import { broadcast } from './broadcast.ts';
import type { UnminedDeps } from './unmined-deps.ts';
import { unminedAlarms } from './unmined-alarms.ts';

/**
 * Attempts of a transaction, after which it stays as it is. An eighth more each time leads from any price to any ceiling with fewer: this ends
 * what a node would have that asks for more and for less in turn.
 */
const mostAttempts = 100;

/** A node's cap is shown in rounded figures: this much of it in percent is taken. */
const capPercent = 95n;

/** Raises what a transaction offers when the market asks for more, as far as the ceiling. */
export async function followMarket(deps: UnminedDeps, transaction: OpenTransaction, market: FeeMarket, block: bigint): Promise<void> {
  const offered = transaction.attempts[0] as Fees;
  if (asksForMore(market, offered)) await raiseOffer(deps, transaction, market, block);
  else unminedAlarms(deps, transaction).ceilingNotReached();
}

/** Raises what a transaction offers, as far as the ceiling. There it waits, with an alarm. */
export async function raiseOffer(deps: UnminedDeps, transaction: OpenTransaction, market: FeeMarket, block: bigint): Promise<void> {
  const offered = transaction.attempts[0] as Fees;
  const alarms = unminedAlarms(deps, transaction);
  const ceiling = feeCeiling(deps.network, transaction.gasLimit);
  const fees = raisedOffer(offered, market, ceiling);
  if (!fees) return alarms.ceilingReached(offered, ceiling);
  alarms.ceilingNotReached();
  await replace(deps, transaction, fees, block);
}

/**
 * Lowers what a transaction offers to what its nodes let it cost. False when the market asks for more than that, or when it offers less
 * already: then no node will take it.
 */
export async function lowerOffer(
  deps: UnminedDeps,
  transaction: OpenTransaction,
  market: FeeMarket,
  block: bigint,
  refusal: Refusal,
): Promise<boolean> {
  const offered = transaction.attempts[0] as Fees;
  const limit = ((refusal.capWei ?? 0n) * capPercent) / 100n / transaction.gasLimit;
  const fees = loweredOffer(offered, market, limit);
  if (!fees || fees.maxFeePerGas === offered.maxFeePerGas) {
    unminedAlarms(deps, transaction).nodeCapReached(refusal);
    return false;
  }
  await replace(deps, transaction, fees, block);
  return true;
}

/** Same nonce, same call, other fees; recorded before it is broadcast, like the first. */
async function replace(deps: UnminedDeps, transaction: OpenTransaction, fees: Fees, block: bigint): Promise<void> {
  const { ledger, signer, log } = deps;
  const [newest] = transaction.attempts as [OpenTransaction['attempts'][number]];
  if (transaction.attempts.length >= mostAttempts) return;
  // Without its signer the transaction stays as it is, and is kept in the pools.
  const signed = await signWithFees(signer, await rawTransaction(ledger, newest.hash), fees).catch(() => undefined);
  if (!signed) return;
  const isNew = transaction.attempts.every(({ hash }) => hash !== signed.hash);
  if (isNew) await recordReplacement(ledger, transaction.id, { raw: signed.raw, hash: signed.hash, ...fees }, block);
  const facts = { txHash: signed.hash, replaces: newest.hash, nonce: transaction.nonce.toString() };
  log.warn({ ...facts, maxFeePerGas: fees.maxFeePerGas.toString() }, 'transaction replaced with other fees');
  await broadcast(deps, signed);
}
