import { BaseError, createPublicClient, custom, type EIP1193RequestFn, type Hex, type PublicClient } from 'viem';
import type { NetworkSettings } from '../../platform/settings.ts';
import { createEndpoints, type SharedEndpoint } from './endpoints.ts';
import { firstAnswer } from './first-answer.ts';
import type { RpcObserver } from './observed-http.ts';

/** A client of a chain's nodes. Everything read from and sent to a chain goes through one. */
export type Rpc = PublicClient;

/**
 * A client over a network's HTTP endpoints, in their order: when one fails, is slow or rests, the next is asked. It never retries at an endpoint, because callers
 * repeat their work themselves. `observe` sees each request to each endpoint. Throws `invalid_settings` when the network has no HTTP endpoint.
 */
export function createRpc(network: Pick<NetworkSettings, 'chain' | 'rpcUrls'>, observe?: RpcObserver): Rpc {
  return rpcOver(createEndpoints(network, observe));
}

/** The same over endpoints that others ask too: what is learnt of their health by one, all know. */
export function rpcOver(endpoints: readonly Pick<SharedEndpoint, 'transport' | 'health'>[]): Rpc {
  const transports = endpoints.map(({ transport, health }) => ({ health, request: transport({ retryCount: 0 }).request }));
  // No batches: viem matches the answers of a batch by position alone, so one that a gateway drops would shift all others.
  const request: EIP1193RequestFn = (call) => firstAnswer(transports, call, (transport) => transport.request(call)) as never;
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}

/** The revert data of a call that a node reports in an error; undefined when the error is something else, such as an outage. */
export function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const cause = error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string') as { data?: Hex } | null;
  return cause?.data;
}
