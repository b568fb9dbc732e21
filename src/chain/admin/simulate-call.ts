import { type Abi, type Address, decodeErrorResult, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import { StopError } from '../../platform/errors.ts';
import { revertData, type Rpc } from '../rpc.ts';

/** Simulates a call at the newest block. Throws `refused_by_contract` with the contract's reason, and when the node does not answer. */
export async function simulateCall(rpc: Rpc, { from, to, data }: { from: Address; to: Address; data: Hex }): Promise<void> {
  try {
    await rpc.call({ account: from, to, data });
  } catch (error) {
    const reverted = revertData(error);
    if (reverted === undefined) throw error;
    throw new StopError({ code: 'refused_by_contract', message: `A call of ${to} by ${from} would be refused: ${describe(reverted)}` });
  }
}

function describe(data: Hex): string {
  try {
    const abi: Abi = [...eMoneyTokenAbi, ...timelockControllerAbi];
    const { errorName, args } = decodeErrorResult({ abi, data });
    return `${errorName}(${(args ?? []).join(', ')})`;
  } catch {
    return `an unknown error, ${data.slice(0, 10)}`;
  }
}
