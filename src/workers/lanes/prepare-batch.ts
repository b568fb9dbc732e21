import { type Hex, size } from 'viem';
import type { Fees } from '../../chain/fees.ts';
import { revertData, type Rpc } from '../../chain/rpc.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { describeRevert, encodeIssue, encodeRedeem } from '../../chain/token/calls.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ClaimedLeg } from '../../ledger/lanes/legs.ts';
import { chainFacts, largestTransactionGas } from '../../platform/chains.ts';
import { messageOf } from '../../platform/errors.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { priceBatch } from './price-batch.ts';

interface BatchDeps {
  ledger: Ledger;
  rpc: Rpc;
  signer: Signer;
  network: NetworkSettings;
}

/** A batch of legs as one call of their token contract. */
export interface BatchCall {
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  fees: Fees;
}

/** What cannot be sent now, and why. */
export interface Obstacle {
  scope: string;
  reason: string;
}

/** The call that carries a batch, or why there is none: an obstacle, or more legs than a transaction of the network can carry. */
export type PreparedBatch = { call: BatchCall } | { obstacle: Obstacle } | { tooLarge: true };

/** An estimate holds for the state it was made on; the transaction may meet another one. */
const gasMargin = (estimate: bigint) => estimate + estimate / 5n;

/** The scope of a batch, whose legs are all of one kind and currency: `issue eur`. */
export function scopeOf([first]: readonly ClaimedLeg[]): string {
  return `${first?.kind} ${first?.currency}`;
}

/**
 * Turns claimed legs of one kind and currency into a call, and finds out before anything is recorded whether it would go through:
 * whether the contract takes it, it fits into a transaction of the network, and the signer can and may pay for its gas. Throws what the
 * node throws when it cannot tell.
 */
export async function prepareBatch(deps: BatchDeps, legs: readonly ClaimedLeg[]): Promise<PreparedBatch> {
  const { network } = deps;
  const [first] = legs as [ClaimedLeg];
  const call = { to: network.tokens[first.currency] as Hex, data: encode(legs) };
  const estimate = await estimateGas(deps, call);
  if ('tooLarge' in estimate) return estimate;
  if ('refused' in estimate) return { obstacle: { scope: scopeOf(legs), reason: estimate.refused } };
  const gasCap = largestTransactionGas(network.chain);
  const gasLimit = gasMargin(estimate.gas) < gasCap ? gasMargin(estimate.gas) : gasCap;
  const price = await priceBatch(deps, { data: call.data, gasLimit, isDivisible: legs.length > 1 });
  return 'fees' in price ? { call: { ...call, gasLimit, fees: price.fees } } : price;
}

function encode(legs: readonly ClaimedLeg[]): Hex {
  if (legs[0]?.kind === 'issue') return encodeIssue(legs.map((leg) => ({ ...leg, sequence: leg.sequence as bigint })));
  return encodeRedeem(legs.map((leg) => ({ ...leg, message: leg.message ?? '', signature: (leg.signature ?? '0x') as Hex })));
}

type Estimate = { gas: bigint } | { refused: string } | { tooLarge: true };

async function estimateGas({ rpc, signer, network }: BatchDeps, call: { to: Hex; data: Hex }): Promise<Estimate> {
  // A node would estimate it, and refuse it only when it is broadcast, after it was recorded.
  if (size(call.data) > chainFacts(network.chain).transactionBytes) return { tooLarge: true };
  try {
    const gas = await rpc.estimateGas({ account: signer.address, ...call });
    return gas > largestTransactionGas(network.chain) ? { tooLarge: true } : { gas };
  } catch (error) {
    const revert = revertData(error);
    if (revert !== undefined && revert !== '0x') return { refused: describeRevert(revert) };
    if (/exceeds allowance|out of gas|gas limit|gas cap/i.test(messageOf(error))) return { tooLarge: true };
    throw error;
  }
}
