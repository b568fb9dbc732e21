import { type Address, encodeDeployData, encodeFunctionData } from 'viem';
import { eMoneyTokenBytecode, erc1967ProxyBytecode } from '../../../abis/bytecode.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { erc1967ProxyAbi } from '../../../abis/erc1967Proxy.ts';
import { type Currency, tokenSymbol } from '../../platform/money.ts';
import { create2, type Deployment } from './create2.ts';

/** What a token is from its first block on. */
export interface TokenSetup {
  currency: Currency;
  /** Holds every role but the operator's. */
  admin: Address;
  /** Seconds between the two steps in which the default admin is handed on. */
  adminDelay: number;
  /** Issue and redeem; the allowance in token units. */
  operators: readonly { account: Address; mintAllowance: bigint }[];
  /** May block accounts. */
  blockers: readonly Address[];
  name?: string | undefined;
}

export interface TokenPlan {
  implementation: Deployment;
  token: Deployment;
}

/**
 * The two deployments that make a token, the second complete with its roles and allowances. Their addresses follow from what is set up,
 * so a deployment that was broken off goes on where it was, and the same set-up never makes a second token.
 */
export function planToken({ currency, admin, adminDelay, operators, blockers, name }: TokenSetup): TokenPlan {
  const letters = currency.toUpperCase();
  const setup = {
    name: name ?? `Mintrail ${letters}`,
    symbol: tokenSymbol(currency),
    currency: letters,
    admin,
    adminDelay,
    operators,
    blockers,
  };
  const initialize = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'initialize', args: [setup] });
  const implementation = create2(eMoneyTokenBytecode);
  const args = [implementation.address, initialize] as const;
  return { implementation, token: create2(encodeDeployData({ abi: erc1967ProxyAbi, bytecode: erc1967ProxyBytecode, args })) };
}
