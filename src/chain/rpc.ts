import { BaseError, createPublicClient, custom, type EIP1193RequestFn, fallback, type Hex, type PublicClient } from 'viem';
import type { NetworkSettings } from '../platform/settings.ts';
import { createEndpoints, type SharedEndpoint } from './endpoints.ts';
import type { RpcObserver } from './observed-http.ts';

/** A client of a chain's nodes. Everything read from and sent to a chain goes through one. */
export type Rpc = PublicClient;

/**
 * A client over a network's HTTP endpoints, in their order: when one fails or rests, the next is asked. It never retries at an endpoint, because callers
 * repeat their work themselves. `observe` sees each request to each endpoint. Throws `invalid_settings` when the network has no HTTP endpoint.
 */
export function createRpc(network: Pick<NetworkSettings, 'chain' | 'rpcUrls'>, observe?: RpcObserver): Rpc {
  return rpcOver(createEndpoints(network, observe));
}

/**
 * The same over endpoints that others ask too: an outage that one of them meets, all know of. A function gives them in the order of the moment, without
 * those of another chain.
 */
export function rpcOver(endpoints: readonly Asked[] | (() => readonly Asked[])): Rpc {
  // No batches: viem matches the answers of a batch by position alone, so one that a gateway drops would shift all others.
  if (typeof endpoints !== 'function') return createPublicClient({ transport: inOrder(endpoints), cacheTime: 0 });
  let [order, transport] = [endpoints(), inOrder(endpoints())];
  const request: EIP1193RequestFn = async (asked) => {
    if (endpoints().length === 0) throw noEndpointOfChain();
    if (order !== endpoints()) [order, transport] = [endpoints(), inOrder(endpoints())];
    return transport({}).request(asked);
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}

/** What a request fails with that no endpoint is asked, because all are of another chain. */
export const noEndpointOfChain = (): BaseError =>
  new BaseError('No endpoint of the network is of its chain:', { details: 'each answers with the id of another one.' });

type Asked = Pick<SharedEndpoint, 'transport'>;

const inOrder = (endpoints: readonly Asked[]) =>
  fallback(
    endpoints.map(({ transport }) => transport),
    { retryCount: 0 },
  );

/** The revert data of a call that a node reports in an error; undefined when the error is something else, such as an outage. */
export function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const cause = error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string') as { data?: Hex } | null;
  return cause?.data;
}
