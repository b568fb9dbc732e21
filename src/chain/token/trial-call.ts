import { decodeErrorResult, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Fees } from '../fees.ts';
import { revertData, type Rpc } from '../endpoints/rpc.ts';

/** A call of a token contract with everything that it depends on. */
export interface TokenCall extends Fees {
  from: Hex;
  to: Hex;
  data: Hex;
  gas: bigint;
}

/** What came of a trial: the contract takes the call, refuses it as a whole with an error of its own, whose data is `revert`, or has too little gas for it. */
export type TrialResult = { verdict: 'taken' } | { verdict: 'refused'; revert: Hex } | { verdict: 'too little gas' };

/**
 * Tries a call on the state behind a block, without a transaction. It has the gas and the fees of the transaction: a node otherwise executes it at
 * a gas price of zero, by which a contract account can tell a trial from the transaction. Throws what the node throws when it gives no answer.
 */
export async function tryTokenCall(rpc: Rpc, call: TokenCall, block: bigint | 'latest'): Promise<TrialResult> {
  const { from, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = call;
  const at = block === 'latest' ? { blockTag: block } : { blockNumber: block };
  try {
    await rpc.call({ account: from, to, data, gas, maxFeePerGas, maxPriorityFeePerGas, ...at });
    return { verdict: 'taken' };
  } catch (error) {
    const result = resultOf(error);
    if (result) return result;
    throw error;
  }
}

/** What an error of `eth_call` or `eth_estimateGas` says of a call of a token contract; undefined for an outage. */
export function resultOf(error: unknown): TrialResult | undefined {
  const revert = revertData(error);
  // The token has a name for each of its errors. Its proxy reverts without one when the token ran out of gas.
  if (revert === '0x' || /out of ?gas|intrinsic gas|exceeds allowance|gas limit|gas cap/i.test(messageOf(error)))
    return { verdict: 'too little gas' };
  if (revert === undefined) return undefined;
  return isWantOfGas(revert) ? { verdict: 'too little gas' } : { verdict: 'refused', revert };
}

function isWantOfGas(revert: Hex): boolean {
  try {
    return decodeErrorResult({ abi: eMoneyTokenAbi, data: revert }).errorName === 'InsufficientGasForSignature';
  } catch {
    return false;
  }
}
