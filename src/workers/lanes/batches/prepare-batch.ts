import type { Hex } from 'viem';
import type { Fees } from '../../../chain/fees.ts';
import { gasLimitWithL1Data } from '../../../chain/l1-data-gas.ts';
import type { MarketReader } from '../../../chain/market-reader.ts';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import type { Signer } from '../../../chain/signers/signer.ts';
import type { SignatureGasReader } from '../../../chain/token/signature-gas.ts';
import { describeContractError } from '../../../chain/token/contract-errors.ts';
import { tryTokenCall } from '../../../chain/token/trial-call.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ClaimedLeg } from '../../../ledger/lanes/legs.ts';
import { largestTransactionGas } from '../../../platform/chains.ts';
import { minorUnits, type TokenUnits, toTokenUnits } from '../../../platform/money.ts';
import type { NetworkSettings } from '../../../platform/settings.ts';
import type { Nonces } from '../nonces.ts';
import type { Obstacle } from '../parked-scopes.ts';
import { encodeBatch, gasBoundOf } from './batch-plan.ts';
import type { GasMoney } from './gas-money.ts';
import { priceBatch } from './price-batch.ts';

interface BatchDeps {
  ledger: Ledger;
  rpc: Rpc;
  signer: Signer;
  network: NetworkSettings;
  market: Pick<MarketReader, 'forNew'>;
  gasMoney: GasMoney;
  nonces: Pick<Nonces, 'inFlight'>;
  signatureGas: SignatureGasReader;
}

/** A batch of legs as one call of their token contract. */
export interface BatchCall {
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  fees: Fees;
  /** What it costs at most, with its publication on Ethereum where that is paid separately; replacements may offer more. */
  mostWei: bigint;
}

/** The call that carries a batch, or why there is none: an obstacle, or more legs than a transaction of the network can carry. */
export type PreparedBatch = { call: BatchCall } | { obstacle: Obstacle } | { tooLarge: true };

/** The scope of a batch, whose legs are all of one kind and currency: `issue eur`. */
export function scopeOf([first]: readonly Pick<ClaimedLeg, 'kind' | 'currency'>[]): string {
  return `${first?.kind} ${first?.currency}`;
}

/** What holds up the legs of a batch, and all of their kind and currency. */
export function obstacleOf(legs: readonly ClaimedLeg[], reason: string): Obstacle {
  return { scope: scopeOf(legs), reason, waiting: (legs as readonly [ClaimedLeg])[0].kind };
}

/**
 * Turns claimed legs of one kind and currency, which fit into a transaction of the network by their bound, into a call. Finds out before anything
 * is recorded whether it would go through: whether the signer can and may pay for its gas, and whether the contract takes it, unless it has taken one
 * like it on the same state (`isTried`). The gas limit is the
 * bound, whatever the accounts do in a trial: they may do something else in the transaction. Throws what the node throws when it cannot tell.
 */
export async function prepareBatch(deps: BatchDeps, legs: readonly ClaimedLeg[], isTried: boolean): Promise<PreparedBatch> {
  const { rpc, signer, network, signatureGas } = deps;
  const [first] = legs as [ClaimedLeg];
  const call = { to: network.tokens[first.currency] as Hex, data: encodeBatch(legs) };
  const bound = gasBoundOf(legs, await signatureGas.read(call.to));
  const gasLimit = await gasLimitWithL1Data(rpc, network.chain, { ...call, from: signer.address, gas: bound });
  const isDivisible = legs.length > 1;
  if (gasLimit > largestTransactionGas(network.chain) && isDivisible) return { tooLarge: true };
  const price = await priceBatch(deps, { data: call.data, gasLimit, isDivisible });
  if (!('fees' in price)) return price;
  const { fees, mostWei } = price;
  const prepared = { call: { ...call, gasLimit, fees, mostWei } };
  if (isTried) return prepared;
  const trial = await tryTokenCall(rpc, { ...call, from: signer.address, gas: bound, ...fees }, 'latest');
  if (trial.verdict === 'taken') return prepared;
  if (trial.verdict === 'refused') {
    const token = { chain: network.chain, currency: first.currency };
    return { obstacle: obstacleOf(legs, describeContractError(trial.revert, token, sumOf(legs))) };
  }
  // The bound holds for the token that it was measured with: an upgrade may have changed what it spends.
  signatureGas.forget(call.to);
  if (isDivisible) return { tooLarge: true };
  const reason = `one order alone needs more than the ${bound} gas that it should need at most: the token may have been upgraded`;
  return { obstacle: obstacleOf(legs, reason) };
}

function sumOf(legs: readonly ClaimedLeg[]): TokenUnits {
  return toTokenUnits(minorUnits(legs.reduce((sum, { amount }) => sum + amount, 0n)));
}
