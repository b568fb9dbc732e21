import { type Address, encodeDeployData, encodeFunctionData } from 'viem';
import { eMoneyTokenBytecode, erc1967ProxyBytecode } from '../../../abis/bytecode.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { erc1967ProxyAbi } from '../../../abis/erc1967Proxy.ts';
import { type Currency, tokenSymbol, type TokenUnits } from '../../platform/money.ts';
import { create2, type Deployment } from './create2.ts';

/** The roles and allowances of a token from its first block on. */
export interface TokenSetup {
  currency: Currency;
  /** Holds every role but the operator's. */
  admin: Address;
  /** Seconds before the account that the admin role is offered to can accept it. */
  adminDelay: number;
  /** Accounts that issue and redeem. */
  operators: readonly { account: Address; mintAllowance: TokenUnits }[];
  /** Accounts that may block others. */
  blockers: readonly Address[];
  name?: string | undefined;
}

export interface TokenPlan {
  implementation: Deployment;
  token: Deployment;
}

/**
 * The two deployments that make a token: its implementation, and a proxy that is initialised with the roles and allowances. Their addresses
 * follow from the set-up, so the same set-up never makes a second token, and an interrupted deployment can be run again.
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
