import type { Address } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type TokenUnits, tokenUnits } from '../../platform/money.ts';
import type { Rpc } from '../endpoints/rpc.ts';

/** What an operator may still issue of a token. */
export interface MintLimits {
  /** Until the admin raises it. */
  allowance: TokenUnits;
  /** In a day of UTC. */
  daily: TokenUnits;
  /** At this moment, by both. */
  mintable: TokenUnits;
}

/** Reads an operator's mint allowance and daily mint limit. Throws when the node does not answer. */
export async function readMintLimits(rpc: Rpc, token: Address, operator: Address): Promise<MintLimits> {
  const read = (functionName: 'mintAllowance' | 'dailyMintLimit' | 'mintable') =>
    rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName, args: [operator] });
  const [allowance, daily, mintable] = await Promise.all([read('mintAllowance'), read('dailyMintLimit'), read('mintable')]);
  return { allowance: tokenUnits(allowance), daily: tokenUnits(daily), mintable: tokenUnits(mintable) };
}
