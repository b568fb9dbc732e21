import { type Address, encodeDeployData, encodeFunctionData, zeroAddress } from 'viem';
import { eMoneyTokenBytecode, erc1967ProxyBytecode, timelockControllerBytecode } from '../../../abis/bytecode.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { erc1967ProxyAbi } from '../../../abis/erc1967Proxy.ts';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import { type Currency, tokenSymbol, type TokenUnits } from '../../platform/money.ts';
import { create2, type Deployment } from './create2.ts';

/**
 * A 2-of-3 Safe takes about 32,000 gas and each further owner about 6,200; a passkey that is verified in Solidity takes up to 330,000. An
 * account that burns all of it costs the operator a thirtieth of the largest transaction (EIP-7825).
 */
const defaultSignatureGas = 500_000;

/** The roles and limits of a token from its first block on. */
export interface TokenSetup {
  currency: Currency;
  /** Holds every role but the operator's and, where there is a timelock, the upgrader's and the allowance role. */
  admin: Address;
  /** Seconds that upgrades and mint limits wait in a timelock, where only the admin proposes and carries out. 0: there is no timelock. */
  timelockDelay?: number | undefined;
  /** Seconds before the account that the admin role is offered to can accept it. */
  adminDelay: number;
  /** Gas that a contract account's signature check may spend in a redemption. */
  signatureGas?: number | undefined;
  /** Accounts that issue and redeem. Their limits are whole minor units; the daily one is for a day of UTC. */
  operators: readonly { account: Address; mintAllowance: TokenUnits; dailyMintLimit: TokenUnits }[];
  /** Accounts that may block others. */
  blockers: readonly Address[];
  name?: string | undefined;
}

/** The two deployments that make a token: the implementation, and the proxy whose address is that of the token. */
export interface TokenPlan {
  implementation: Deployment;
  /** OpenZeppelin's TimelockController. */
  timelock: Deployment | undefined;
  token: Deployment;
}

/**
 * The deployments that make a token: its implementation, a timelock if it has one, and a proxy that is initialised with the roles and limits.
 * Their addresses follow from the set-up, so the same set-up never makes a second token, and an interrupted deployment can be run again.
 */
export function planToken(token: TokenSetup): TokenPlan {
  const letters = token.currency.toUpperCase();
  const timelock = token.timelockDelay ? planTimelock(token.admin, token.timelockDelay) : undefined;
  const setup = {
    name: token.name ?? `Mintrail ${letters}`,
    symbol: tokenSymbol(token.currency),
    currency: letters,
    admin: token.admin,
    timelock: timelock?.address ?? zeroAddress,
    adminDelay: token.adminDelay,
    signatureGas: token.signatureGas ?? defaultSignatureGas,
    operators: token.operators,
    blockers: token.blockers,
  };
  const initialize = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'initialize', args: [setup] });
  const implementation = create2(eMoneyTokenBytecode);
  const args = [implementation.address, initialize] as const;
  const proxy = create2(encodeDeployData({ abi: erc1967ProxyAbi, bytecode: erc1967ProxyBytecode, args }));
  return { implementation, timelock, token: proxy };
}

/** The timelock administers itself: even its proposer changes only by a proposal that has waited. */
function planTimelock(admin: Address, delay: number): Deployment {
  const args = [BigInt(delay), [admin], [admin], zeroAddress] as const;
  return create2(encodeDeployData({ abi: timelockControllerAbi, bytecode: timelockControllerBytecode, args }));
}
