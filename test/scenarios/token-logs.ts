import { createPublicClient, http } from 'viem';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';

/** A mint as the chain itself tells it. */
export interface Mint {
  /** As the ledger spells it. */
  orderId: string;
  chain: string;
  account: string;
  /** Token units. */
  amount: bigint;
}

/** Every `Issued` of a currency that the sandbox's chains have ever logged, but what the maker of swaps began with. */
export async function readMints({ chains, swap }: SandboxFile, currency: string): Promise<Mint[]> {
  const perChain = Object.entries(chains).map(async ([chain, { rpcUrl, tokens }]) => {
    const logs = await createPublicClient({ transport: http(rpcUrl) }).getContractEvents({
      address: tokens[currency] as `0x${string}`,
      abi: eMoneyTokenAbi,
      eventName: 'Issued',
      fromBlock: 0n,
      strict: true,
    });
    return logs.map(({ args }) => ({ orderId: uuid(args.orderId), chain, account: args.account.toLowerCase(), amount: args.amount }));
  });
  return (await Promise.all(perChain)).flat().filter(({ account }) => account !== swap?.maker.toLowerCase());
}

/** The orders of every `Issued` and every `Redeemed` of a currency on all chains, but the maker's, as often as there are logs of them. */
export async function readMoves({ chains, swap }: SandboxFile, currency: string): Promise<{ issued: string[]; redeemed: string[] }> {
  const ordersOf = async (eventName: 'Issued' | 'Redeemed') => {
    const perChain = Object.values(chains).map(async ({ rpcUrl, tokens }) => {
      const event = { address: tokens[currency] as `0x${string}`, abi: eMoneyTokenAbi, eventName, fromBlock: 0n, strict: true } as const;
      const logs = await createPublicClient({ transport: http(rpcUrl) }).getContractEvents(event);
      return logs.flatMap(({ args }) => (args.account === swap?.maker ? [] : [uuid(args.orderId)]));
    });
    return (await Promise.all(perChain)).flat();
  };
  return { issued: await ordersOf('Issued'), redeemed: await ordersOf('Redeemed') };
}

/** What the token itself says that an account has, in token units. */
export async function readBalance({ chains }: SandboxFile, chain: string, currency: string, account: `0x${string}`): Promise<bigint> {
  const { rpcUrl, tokens } = chains[chain] as SandboxFile['chains'][string];
  return createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: tokens[currency] as `0x${string}`,
    abi: eMoneyTokenAbi,
    functionName: 'balanceOf',
    args: [account],
  });
}

function uuid(bytes: `0x${string}`): string {
  return bytes.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
