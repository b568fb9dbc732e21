import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, createPublicClient, defineChain, type Hex, http } from 'viem';
import { RetryError } from '../../platform/errors.ts';

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

/** A block of a local chain comes within seconds; on a slow machine it takes longer. */
const firstBlockTimeoutMs = 90_000;

/**
 * The hash of the first block that was made locally, which tells two local chains with one id apart, and the number of the newest block. Waits
 * until there is such a block: it is block 0, or on a fork that behind the last of the live network.
 */
export async function inspectChain(chain: LocalChain, firstBlock = 0): Promise<{ genesis: Hex; head: bigint }> {
  const client = createPublicClient({ chain: defineLocalChain(chain), transport: http(chain.url), cacheTime: 0 });
  for (const deadline = Date.now() + firstBlockTimeoutMs; (await client.getBlockNumber()) < firstBlock; await delay(50))
    if (Date.now() > deadline)
      throw new RetryError({
        code: 'not_possible_yet',
        message: `The local chain ${chain.chainId} makes no block: see its log, then start again`,
      });
  const { hash } = await client.getBlock({ blockNumber: BigInt(firstBlock) });
  return { genesis: hash, head: await client.getBlockNumber() };
}
