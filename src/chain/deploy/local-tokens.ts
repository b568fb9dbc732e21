import { type Address, type Chain, createPublicClient, type Hex, http, type LocalAccount, maxUint128, zeroAddress } from 'viem';
import type { Currency } from '../../platform/money.ts';
import { deployFixed } from './deploy-locally.ts';
import { planToken } from './token-plan.ts';

export interface TokenDeployment {
  url: string;
  chainId: number;
  /** Pays, and administers the tokens. */
  admin: LocalAccount;
  /** Accounts that may issue and redeem. */
  operators: readonly Address[];
  currencies: readonly Currency[];
  mintAllowance?: bigint;
}

export type Tokens = Partial<Record<Currency, Address>>;

/** Deploys one implementation and, per currency, a proxy with its operators on an Anvil; what is there already stays. */
export async function deployTokens({ url, chainId, admin, operators, currencies, mintAllowance }: TokenDeployment): Promise<Tokens> {
  const allowed = operators.map((account) => ({ account, mintAllowance: mintAllowance ?? maxUint128 }));
  const plans = currencies.map((currency) =>
    planToken({ currency, admin: admin.address, adminDelay: 0, operators: allowed, blockers: [] }),
  );
  const codes = plans.flatMap(({ implementation, token }) => [implementation.bytecode, token.bytecode]);
  await deployFixed({ url, chainId, payer: admin }, [...new Set(codes)]);
  return Object.fromEntries(currencies.map((currency, index) => [currency, plans[index]?.token.address]));
}

/** What tells one instance of a local chain from another under the same id, and how far it has come. */
export async function inspectChain({ url, chainId }: { url: string; chainId: number }): Promise<{ genesis: Hex; head: bigint }> {
  const client = createPublicClient({ chain: localChain({ url, chainId }), transport: http(url), cacheTime: 0 });
  const { hash } = await client.getBlock({ blockNumber: 0n });
  return { genesis: hash, head: await client.getBlockNumber() };
}

/** Whether there is a contract at an address. */
export async function hasCode({ url, chainId }: { url: string; chainId: number }, address: Address = zeroAddress): Promise<boolean> {
  const client = createPublicClient({ chain: localChain({ url, chainId }), transport: http(url) });
  return ((await client.getCode({ address })) ?? '0x') !== '0x';
}

function localChain({ url, chainId }: { url: string; chainId: number }): Chain {
  return {
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  };
}
