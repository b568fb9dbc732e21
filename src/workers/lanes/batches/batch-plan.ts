import { type Hex, size, stringToHex } from 'viem';
import { issueGasBound, recoveriesBound, redeemGasBound, type RedemptionSize } from '../../../chain/gas-bounds.ts';
import { encodeIssue, encodeRedeem } from '../../../chain/token/calls.ts';
import type { ClaimedLeg } from '../../../ledger/lanes/legs.ts';

/** What a transaction of a network can carry. */
export interface BatchLimits {
  gas: bigint;
  /** Bytes of calldata. */
  bytes: number;
  /** Signature recoveries, where the network bounds them. */
  recoveries: number | undefined;
}

/** Calldata of a batch, whose legs are all of one kind. */
export function encodeBatch(legs: readonly ClaimedLeg[]): Hex {
  if (legs[0]?.kind === 'issue') return encodeIssue(legs.map((leg) => ({ ...leg, sequence: leg.sequence as bigint })));
  return encodeRedeem(legs.map((leg) => ({ ...leg, message: leg.message ?? '', signature: (leg.signature ?? '0x') as Hex })));
}

/** Gas that a batch needs at most; see src/chain/gas-bounds.ts. */
export function gasBoundOf(legs: readonly ClaimedLeg[], signatureGas: bigint): bigint {
  if (legs[0]?.kind === 'issue') return issueGasBound(legs.map(({ sequence }) => sequence as bigint));
  return redeemGasBound(legs.map(sizeOf), signatureGas);
}

/** What a leg adds to the gas bound of its batch. */
export function gasCostOf(leg: ClaimedLeg, signatureGas: bigint): bigint {
  if (leg.kind === 'issue') return issueGasBound([leg.sequence as bigint]) - issueGasBound([]);
  return redeemGasBound([sizeOf(leg)], signatureGas) - redeemGasBound([], signatureGas);
}

/** How many of the legs, from the first on, fit into one transaction. */
export function countFitting(legs: readonly ClaimedLeg[], limits: BatchLimits, signatureGas: bigint): number {
  const fits = (count: number) => {
    const part = legs.slice(0, count);
    if (gasBoundOf(part, signatureGas) > limits.gas || size(encodeBatch(part)) > limits.bytes) return false;
    // One leg alone is tried, since few accounts do nothing but recover: what no block takes is cancelled.
    return count === 1 || limits.recoveries === undefined || recoveriesOf(part, signatureGas) <= limits.recoveries;
  };
  if (fits(legs.length)) return legs.length;
  let [fitting, tooMany] = [0, legs.length];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}

function recoveriesOf(legs: readonly ClaimedLeg[], signatureGas: bigint): number {
  return legs[0]?.kind === 'issue' ? 0 : recoveriesBound(legs.map(sizeOf), signatureGas);
}

function sizeOf({ message, signature, signedBy }: ClaimedLeg): RedemptionSize {
  return {
    messageBytes: size(stringToHex(message ?? '')),
    signatureBytes: size((signature ?? '0x') as Hex),
    signedByContract: signedBy === 'contract',
  };
}
