import { BaseError, createPublicClient, fallback, type Hex, type PublicClient } from 'viem';
import type { NetworkSettings } from '../platform/settings.ts';
import { createEndpoints, type SharedEndpoint } from './endpoints.ts';
import type { RpcObserver } from './observed-http.ts';

/** A client of a chain's nodes. Everything read from and sent to a chain goes through one. */
export type Rpc = PublicClient;

/**
 * A client over a network's HTTP endpoints, in their order: when one fails or rests, the next is asked. It never retries at an endpoint, because callers
 * repeat their work themselves. `observe` sees each request to each endpoint. Throws `rpc_not_configured` when the network has no HTTP endpoint.
 */
export function createRpc(network: Pick<NetworkSettings, 'chain' | 'rpcUrls'>, observe?: RpcObserver): Rpc {
  return rpcOver(createEndpoints(network, observe));
}

/** The same over endpoints that others ask too: an outage that one of them meets, all know of. */
export function rpcOver(endpoints: readonly Pick<SharedEndpoint, 'transport'>[]): Rpc {
  // No batches: viem matches the answers of a batch by position alone, so one that a gateway drops would shift all others.
  const transports = endpoints.map(({ transport }) => transport);
  return createPublicClient({ transport: fallback(transports, { retryCount: 0 }), cacheTime: 0 });
}

/** The revert data of a call that a node reports in an error; undefined when the error is something else, such as an outage. */
export function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const cause = error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string') as { data?: Hex } | null;
  return cause?.data;
}
