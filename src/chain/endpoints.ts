import { createPublicClient, type PublicClient, type Transport } from 'viem';
import { StopError } from '../platform/errors.ts';
import { type NetworkSettings, networkVariable } from '../platform/settings.ts';
import { withoutUrlSecrets } from '../platform/url-secrets.ts';
import { observedHttp, type RpcObserver } from './observed-http.ts';
import { createRestingEndpoint, type Rest } from './resting-endpoint.ts';

/** One HTTP endpoint of a network, for what must not be learnt from whichever endpoint answers first. */
export interface Endpoint {
  /** Its protocol and host, without the key that its URL may carry; with its number where another endpoint has the same host. */
  name: string;
  rpc: PublicClient;
}

/** An endpoint that several clients may use; what one of them learns of its outages, all know. */
export interface SharedEndpoint extends Endpoint {
  transport: Transport;
  /** Why it is not asked at present; undefined while it answers, and always where it is asked in spite of that. */
  rest: () => Rest | undefined;
}

/** The addresses of a network's HTTP endpoints, in their order. Throws `invalid_settings` when there is none. */
export function httpUrls({ chain, rpcUrls }: Pick<NetworkSettings, 'chain' | 'rpcUrls'>): string[] {
  const urls = rpcUrls.filter((url) => url.startsWith('http'));
  if (urls.length > 0) return urls;
  throw new StopError({ code: 'invalid_settings', message: `${chain} has no RPC endpoint: set ${networkVariable(chain, 'rpcUrls')}` });
}

/**
 * The HTTP endpoints of a network, in their order. None retries, because callers repeat their work themselves. Where there are several, one that does not
 * answer rests; with `restsAlone` the only one does, too. `observe` sees each request. Throws `invalid_settings` when the network has no HTTP endpoint.
 */
export function createEndpoints(
  { chain, rpcUrls }: Pick<NetworkSettings, 'chain' | 'rpcUrls'>,
  observe?: RpcObserver,
  { restsAlone = false } = {},
): SharedEndpoint[] {
  const urls = httpUrls({ chain, rpcUrls });
  const hosts = urls.map((url) => withoutUrlSecrets(url));
  return urls.map((url, index) => {
    const host = hosts[index] ?? '';
    const isShared = hosts.filter((other) => other === host).length > 1;
    const http = observedHttp(url, observe);
    const { transport, rest } = urls.length === 1 && !restsAlone ? { transport: http, rest: () => undefined } : restingTransport(http);
    return {
      name: isShared ? `${host} (endpoint ${index + 1})` : host,
      rpc: createPublicClient({ transport, cacheTime: 0 }),
      transport,
      rest,
    };
  });
}

/** How many endpoints of a network must agree before what they say settles a leg: 2 where it has several, unless the operator says otherwise. */
export function rpcQuorum(network: Pick<NetworkSettings, 'rpcUrls' | 'rpcQuorum'>): number {
  return network.rpcQuorum ?? Math.min(2, network.rpcUrls.filter((url) => url.startsWith('http')).length);
}

type Request = (request: { method: string }, ...rest: unknown[]) => Promise<unknown>;

/** Viem makes a transport for each client anew; what is known of the endpoint is beside them. */
function restingTransport(http: Transport): { transport: Transport; rest: () => Rest | undefined } {
  const plain = createPublicClient({ transport: http, cacheTime: 0 });
  const endpoint = createRestingEndpoint(() => plain.getBlockNumber());
  const transport: Transport = (options) => {
    const made = http(options);
    const request: Request = (call, ...more) => endpoint.send(call.method, () => (made.request as Request)(call, ...more));
    return { ...made, request: request as never };
  };
  return { transport, rest: () => endpoint.rest() };
}
