import { type Address, encodeDeployData } from 'viem';
import { swapSettlementBytecode } from '../../abis/bytecode.ts';
import { swapSettlementAbi } from '../../abis/swapSettlement.ts';
import { deployLocally, type LocalDeployment } from '../../src/chain/deploy/deploy-locally.ts';

/** Deploys the settlement contract of a maker's swaps on an Anvil unless it is deployed already. Returns its address. Throws `transaction_reverted`. */
export async function deploySettlement(
  deployment: LocalDeployment,
  { owner, maker }: { owner: Address; maker: Address },
): Promise<Address> {
  const code = encodeDeployData({ abi: swapSettlementAbi, bytecode: swapSettlementBytecode, args: [owner, maker] });
  const [settlement] = await deployLocally(deployment, [code]);
  return settlement as Address;
}
