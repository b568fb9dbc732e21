import { type Address, getAddress } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { readImplementation } from '../probes/token.ts';
import type { Rpc } from '../rpc.ts';
import { scanLogs } from './scan-logs.ts';
import { type TokenRole, tokenRoles } from './roles.ts';

/** What a token is now. Amounts in token units. */
export interface TokenState {
  name: string;
  symbol: string;
  currency: string;
  supply: bigint;
  paused: boolean;
  implementation: Address | undefined;
  admin: Address;
  /** Whom the admin's role is handed to, once that account accepts; from `after` on, in seconds since 1970. */
  pendingAdmin?: { account: Address; after: number };
  /** Who holds which role, among those asked for. */
  roles: Partial<Record<TokenRole, Address[]>>;
  allowances: { operator: Address; mintAllowance: bigint }[];
}

/** Reads a token. `accounts` are those who may hold a role; see {@link roleCandidates}. Throws when the node cannot tell. */
export async function readTokenState(rpc: Rpc, token: Address, accounts: readonly Address[]): Promise<TokenState> {
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  const candidates = [...new Set(accounts.map((account) => getAddress(account)))];
  const [name, symbol, currency, supply, paused, implementation, admin, [pending, after]] = await Promise.all([
    rpc.readContract({ ...read, functionName: 'name' }),
    rpc.readContract({ ...read, functionName: 'symbol' }),
    rpc.readContract({ ...read, functionName: 'currency' }),
    rpc.readContract({ ...read, functionName: 'totalSupply' }),
    rpc.readContract({ ...read, functionName: 'paused' }),
    readImplementation(rpc, token),
    rpc.readContract({ ...read, functionName: 'defaultAdmin' }),
    rpc.readContract({ ...read, functionName: 'pendingDefaultAdmin' }),
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
    (roles.OPERATOR_ROLE ?? []).map(async (operator) => ({
      operator,
      mintAllowance: await rpc.readContract({ ...read, functionName: 'mintAllowance', args: [operator] }),
    })),
  );
  const handing = BigInt(pending) === 0n ? {} : { pendingAdmin: { account: pending, after } };
  return { name, symbol, currency, supply, paused, implementation, admin, ...handing, roles, allowances };
}

/** Everyone who was ever granted a role, from the token's logs. Throws `log_range_too_large` when there are too many to be looked through. */
export async function roleCandidates(rpc: Rpc, token: Address, fromBlock: bigint): Promise<Address[]> {
  const event = eMoneyTokenAbi.find((entry) => entry.type === 'event' && entry.name === 'RoleGranted') as RoleGranted;
  const logs = await scanLogs(rpc, fromBlock, (range) => rpc.getLogs({ address: token, event, strict: true, ...range }));
  return [...new Set(logs.map(({ args }) => args.account))];
}

type RoleGranted = Extract<(typeof eMoneyTokenAbi)[number], { type: 'event'; name: 'RoleGranted' }>;
