import type { Address, Hex } from 'viem';
import { StopError } from '../../platform/errors.ts';
import { revertData, type Rpc } from '../endpoints/rpc.ts';
import { describeContractError, type TokenName } from '../token/contract-errors.ts';

/** Simulates a call at the newest block, for a change of the token. Throws `refused_by_contract` with the contract's reason, and when the node does not answer. */
export async function simulateCall(
  rpc: Rpc,
  { from, to, data }: { from: Address; to: Address; data: Hex },
  token: TokenName,
): Promise<void> {
  try {
    await rpc.call({ account: from, to, data });
  } catch (error) {
    const reverted = revertData(error);
    if (reverted === undefined) throw error;
    const reason = describeContractError(reverted, token);
    throw new StopError({ code: 'refused_by_contract', message: `A call of ${to} by ${from} would be refused: ${reason}` });
  }
}
