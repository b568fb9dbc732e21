import { type Address, getAddress } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type TokenUnits, tokenUnits } from '../../platform/money.ts';
import { readImplementation } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { scanLogs } from './scan-logs.ts';
import { type TokenRole, tokenRoles } from './roles.ts';

/** The present state of a token. */
export interface TokenState {
  name: string;
  symbol: string;
  currency: string;
  supply: TokenUnits;
  paused: boolean;
  implementation: Address | undefined;
  admin: Address;
  /** The account that the admin role is offered to, and from when it may accept: seconds since 1970. */
  pendingAdmin?: { account: Address; after: number };
  /** Holders of each role, among the accounts that were checked. */
  roles: Partial<Record<TokenRole, Address[]>>;
  /** `mintable`: what an operator may mint at this moment, by its allowance and its limit of a day. */
  allowances: { operator: Address; mintAllowance: TokenUnits; dailyMintLimit: TokenUnits; mintable: TokenUnits }[];
  /** Gas that a contract account's signature check may spend in a redemption. */
  signatureGas: bigint;
}

/** Reads the state of a token. `accounts` are checked for roles; see {@link roleCandidates}. Throws when the node does not answer. */
export async function readTokenState(rpc: Rpc, token: Address, accounts: readonly Address[]): Promise<TokenState> {
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  const candidates = [...new Set(accounts.map((account) => getAddress(account)))];
  const [name, symbol, currency, supply, paused, implementation, admin, [pending, after], signatureGas] = await Promise.all([
    rpc.readContract({ ...read, functionName: 'name' }),
    rpc.readContract({ ...read, functionName: 'symbol' }),
    rpc.readContract({ ...read, functionName: 'currency' }),
    rpc.readContract({ ...read, functionName: 'totalSupply' }),
    rpc.readContract({ ...read, functionName: 'paused' }),
    readImplementation(rpc, token),
    rpc.readContract({ ...read, functionName: 'defaultAdmin' }),
    rpc.readContract({ ...read, functionName: 'pendingDefaultAdmin' }),
    rpc.readContract({ ...read, functionName: 'signatureGas' }),
  ]);
  const roles: TokenState['roles'] = {};
  for (const [role, id] of Object.entries(tokenRoles) as [TokenRole, `0x${string}`][]) {
    const holds = await Promise.all(
      candidates.map((account) => rpc.readContract({ ...read, functionName: 'hasRole', args: [id, account] })),
    );
    const holders = candidates.filter((_, index) => holds[index]);
    if (holders.length > 0) roles[role] = holders;
  }
  const allowances = await Promise.all(
    (roles.OPERATOR_ROLE ?? []).map(async (operator) => {
      const [mintAllowance, dailyMintLimit, mintable] = await Promise.all([
        rpc.readContract({ ...read, functionName: 'mintAllowance', args: [operator] }),
        rpc.readContract({ ...read, functionName: 'dailyMintLimit', args: [operator] }),
        rpc.readContract({ ...read, functionName: 'mintable', args: [operator] }),
      ]);
      return {
        operator,
        mintAllowance: tokenUnits(mintAllowance),
        dailyMintLimit: tokenUnits(dailyMintLimit),
        mintable: tokenUnits(mintable),
      };
    }),
  );
  const pendingAdmin = BigInt(pending) === 0n ? {} : { pendingAdmin: { account: pending, after } };
  const description = { name, symbol, currency, supply: tokenUnits(supply), paused, implementation, signatureGas };
  return { ...description, admin, ...pendingAdmin, roles, allowances };
}

/** All accounts that were ever granted a role, from the token's logs. Throws what `scanLogs` throws. */
export async function roleCandidates(rpc: Rpc, token: Address, fromBlock: bigint): Promise<Address[]> {
  const event = eMoneyTokenAbi.find((entry) => entry.type === 'event' && entry.name === 'RoleGranted') as RoleGranted;
  const logs = await scanLogs(rpc, fromBlock, (range) => rpc.getLogs({ address: token, event, strict: true, ...range }));
  return [...new Set(logs.map(({ args }) => args.account))];
}

type RoleGranted = Extract<(typeof eMoneyTokenAbi)[number], { type: 'event'; name: 'RoleGranted' }>;
