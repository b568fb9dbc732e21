import { type Chain, createPublicClient, defineChain, type Hex, http } from 'viem';

/** Where a local chain, an Anvil, is reached. */
export interface LocalChain {
  url: string;
  /** EIP-155. */
  chainId: number;
}

/** The definition of a local chain for viem's clients. */
export function defineLocalChain({ url, chainId }: LocalChain): Chain {
  return defineChain({
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}

/** The hash of block 0, which tells two local chains with one id apart, and the number of the newest block. */
export async function inspectChain(chain: LocalChain): Promise<{ genesis: Hex; head: bigint }> {
  const client = createPublicClient({ chain: defineLocalChain(chain), transport: http(chain.url), cacheTime: 0 });
  const { hash } = await client.getBlock({ blockNumber: 0n });
  return { genesis: hash, head: await client.getBlockNumber() };
}
