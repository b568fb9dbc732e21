import type { AgreedMarket } from '../../chain/agreed-market.ts';
import { asksForMore, feeCeiling, loweredOffer, type Raise, raisedOffer } from '../../chain/fee-policy.ts';
import type { FeeMarket, Fees } from '../../chain/fees.ts';
import type { Refusal } from '../../chain/refusals.ts';
import { signWithFees } from '../../chain/signers/signer.ts';
import { recordProgress } from './transaction-spans.ts';
import { type OpenTransaction, rawTransaction } from '../../ledger/lanes/unmined-transactions.ts';
import { recordReplacement } from '../../ledger/lanes/transactions.ts';
import { tracesOfTransaction } from '../../ledger/orders/traces/order-traces.ts';
import { broadcast } from './broadcast.ts';
import type { UnminedDeps } from './unmined-deps.ts';
import { unminedAlarms } from './unmined-alarms.ts';

/**
 * Attempts of a transaction, after which the next raise goes to the ceiling, and nothing is lowered any more. Doubling leads from any price to any
 * ceiling with fewer; a node that asks for a little more each time, or for more and for less in turn, has no more than these and one.
 */
const mostAttempts = 60;

/** A node's cap is shown in rounded figures: this much of it in percent is taken. */
const capPercent = 95n;

/**
 * Raises what a transaction offers when the market asks for more, as far as the ceiling. There it waits, with an alarm when the base fee alone is
 * higher: a higher tip keeps nothing out of a block that has room.
 */
export async function followMarket(deps: UnminedDeps, transaction: OpenTransaction, market: AgreedMarket, block: bigint): Promise<void> {
  const offered = transaction.attempts[0] as Fees;
  if (asksForMore(market, offered) && (await raise(deps, transaction, { market, block, by: 'eighth' }))) return;
  if (market.baseFeePerGas > offered.maxFeePerGas) alarmCeiling(deps, transaction, market);
  else unminedAlarms(deps, transaction).ceilingNotReached();
}

/** Doubles what a transaction offers whose nodes call it underpriced, as far as the ceiling. There it waits, with an alarm. */
export async function raiseOffer(deps: UnminedDeps, transaction: OpenTransaction, market: AgreedMarket, block: bigint): Promise<void> {
  if (!(await raise(deps, transaction, { market, block, by: 'double' }))) alarmCeiling(deps, transaction, market);
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
  const fees = hasManyAttempts(transaction) ? undefined : loweredOffer(offered, market, limit);
  if (!fees || fees.maxFeePerGas === offered.maxFeePerGas) {
    unminedAlarms(deps, transaction).nodeCapReached(refusal);
    return false;
  }
  await replace(deps, transaction, fees, block);
  return true;
}

/** False at the ceiling. */
async function raise(
  deps: UnminedDeps,
  transaction: OpenTransaction,
  { market, block, by }: { market: FeeMarket; block: bigint; by: Raise },
): Promise<boolean> {
  const ceiling = feeCeiling(deps.network, transaction.gasLimit);
  const fees = raisedOffer(transaction.attempts[0] as Fees, market, ceiling, hasManyAttempts(transaction) ? 'ceiling' : by);
  if (!fees) return false;
  unminedAlarms(deps, transaction).ceilingNotReached();
  await replace(deps, transaction, fees, block);
  return true;
}

function hasManyAttempts({ attempts }: OpenTransaction): boolean {
  return attempts.length >= mostAttempts;
}

function alarmCeiling(deps: UnminedDeps, transaction: OpenTransaction, { sources }: AgreedMarket): void {
  const ceiling = feeCeiling(deps.network, transaction.gasLimit);
  unminedAlarms(deps, transaction).ceilingReached(transaction.attempts[0] as Fees, ceiling, sources);
}

/** Same nonce, same call, other fees; recorded before it is broadcast, like the first. */
async function replace(deps: UnminedDeps, transaction: OpenTransaction, fees: Fees, block: bigint): Promise<void> {
  const { ledger, signer, log } = deps;
  const [newest] = transaction.attempts as [OpenTransaction['attempts'][number]];
  // Without its signer the transaction stays as it is, and is kept in the pools.
  const signed = await signWithFees(signer, await rawTransaction(ledger, newest.hash), fees).catch(() => undefined);
  if (!signed) return;
  const startedAt = Date.now();
  const isNew = transaction.attempts.every(({ hash }) => hash !== signed.hash);
  if (isNew) await recordReplacement(ledger, transaction.id, { raw: signed.raw, hash: signed.hash, ...fees }, block);
  const traces = await tracesOfTransaction(ledger, transaction.id);
  const facts = { txHash: signed.hash, replaces: newest.hash, nonce: transaction.nonce.toString() };
  log.warn({ ...facts, maxFeePerGas: fees.maxFeePerGas.toString(), ...traces }, 'transaction replaced with other fees');
  await broadcast(deps, { ...signed, traces });
  recordProgress('replace transaction', { id: transaction.id, txHash: signed.hash, ...traces }, { startedAt });
}
