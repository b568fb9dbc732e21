import { BaseError, ContractFunctionZeroDataError, parseAbi } from 'viem';
import { type Chain, chainFacts } from '../platform/chains.ts';
import type { Fees } from './fees.ts';
import type { Rpc } from './endpoints/rpc.ts';
import { resultOf, type TokenCall } from './token/trial-call.ts';

/** Arbitrum's NodeInterface: no contract, but answered by its nodes in `eth_call` at this address. */
const nodeInterface = '0x00000000000000000000000000000000000000C8';
const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
]);

/**
 * The gas limit of a call whose execution needs at most `call.gas`. Where the network charges the data on its first layer in gas (Arbitrum), that is
 * added, with a margin of a half: both layers' prices change until the transaction is mined. Throws what the node throws.
 */
export async function gasLimitWithL1Data(rpc: Rpc, chain: Chain, call: Omit<TokenCall, keyof Fees>): Promise<bigint> {
  if (!chainFacts(chain).chargesL1DataInGas) return call.gas;
  try {
    const [gas] = await rpc.readContract({
      address: nodeInterface,
      abi: nodeInterfaceAbi,
      functionName: 'gasEstimateL1Component',
      args: [call.to, false, call.data],
    });
    return call.gas + gas + gas / 2n;
  } catch (error) {
    if (error instanceof BaseError && error.walk((inner) => inner instanceof ContractFunctionZeroDataError))
      return estimatedLimit(rpc, call);
    throw error;
  }
}

/** For a node without the NodeInterface: its estimate with a margin of a fifth, where that is more than the execution needs. */
async function estimatedLimit(rpc: Rpc, { from, to, data, gas }: Omit<TokenCall, keyof Fees>): Promise<bigint> {
  try {
    const estimate = await rpc.estimateGas({ account: from, to, data });
    const limit = estimate + estimate / 5n;
    return limit > gas ? limit : gas;
  } catch (error) {
    // The contract does not take the call now, which its trial says, too.
    if (resultOf(error)) return gas;
    throw error;
  }
}
