import { createPublicClient } from 'viem';
import type { NetworkSettings } from '../platform/settings.ts';
import { withoutUrlSecrets } from '../platform/url-secrets.ts';
import { observedHttp, type RpcObserver } from './observed-http.ts';
import { httpUrls, type Rpc } from './rpc.ts';

/** One HTTP endpoint of a network, for what must not be learnt from whichever endpoint answers first. */
export interface Endpoint {
  /** Its protocol and host, without the key that its URL may carry; with its number where another endpoint has the same host. */
  name: string;
  rpc: Rpc;
}

/**
 * A client of each HTTP endpoint of a network, in their order. None retries, because callers repeat their work themselves. `observe` sees each request. Throws
 * `rpc_not_configured` when the network has no HTTP endpoint.
 */
export function createEndpoints({ chain, rpcUrls }: Pick<NetworkSettings, 'chain' | 'rpcUrls'>, observe?: RpcObserver): Endpoint[] {
  const urls = httpUrls({ chain, rpcUrls });
  const hosts = urls.map((url) => withoutUrlSecrets(url));
  return urls.map((url, index) => {
    const host = hosts[index] ?? '';
    const isShared = hosts.filter((other) => other === host).length > 1;
    return {
      name: isShared ? `${host} (endpoint ${index + 1})` : host,
      rpc: createPublicClient({ transport: observedHttp(url, observe), cacheTime: 0 }),
    };
  });
}

/** How many endpoints of a network must agree before what they say settles a leg: 2 where it has several, unless the operator says otherwise. */
export function rpcQuorum(network: Pick<NetworkSettings, 'rpcUrls' | 'rpcQuorum'>): number {
  return network.rpcQuorum ?? Math.min(2, network.rpcUrls.filter((url) => url.startsWith('http')).length);
}
