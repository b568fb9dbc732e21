import { chainIds } from '../platform/chains.ts';
import { StopError } from '../platform/errors.ts';
import type { NetworkSettings } from '../platform/settings.ts';

/** What Ponder knows of the network it indexes. It gets no other setting, and above all no key. */
export interface IndexedNetwork {
  chainId: number;
  rpc: string;
  /** WebSocket endpoint that announces new blocks, so that nothing is polled. */
  ws?: string;
  /** Milliseconds. */
  pollingInterval: number;
  /** A local chain can begin anew under the same id, so what was read of it is not kept. */
  isLocal: boolean;
  tokens: `0x${string}`[];
  startBlock: number;
}

const variable = 'INDEXED_NETWORK';

/** The environment of the Ponder that indexes a network, which asks all endpoints at one address. */
export function indexedNetworkEnvironment(
  { chain, rpcUrls, blockTimeSeconds, genesis, tokens, startBlock }: NetworkSettings,
  endpointsUrl: string,
): Record<string, string> {
  const isLocal = genesis.name !== '';
  const [first, ...others] = rpcUrls.filter((url) => url.startsWith('http'));
  const network: IndexedNetwork = {
    chainId: chainIds[chain],
    rpc: endpointsUrl,
    // Anvil answers both on one port. Elsewhere blocks are polled: Ponder waits for ever on a subscription that has silently died.
    ...(isLocal && first !== undefined && others.length === 0 && { ws: first.replace(/^http/, 'ws') }),
    // An outcome waits half an interval on average; a tenth of a block is not noticed.
    pollingInterval: Math.min(Math.max(blockTimeSeconds * 100, 100), 1_000),
    isLocal,
    tokens: Object.values(tokens),
    startBlock,
  };
  return { [variable]: JSON.stringify(network) };
}

/** The same, read in Ponder's process. Throws `invalid_settings` when Ponder was not started by `mintrail indexer`. */
export function readIndexedNetwork(): IndexedNetwork {
  const text = process.env[variable];
  if (!text)
    throw new StopError({
      code: 'invalid_settings',
      message: 'Ponder is started by `mintrail indexer --chain NAME`, which tells it what to index',
    });
  return JSON.parse(text) as IndexedNetwork;
}
