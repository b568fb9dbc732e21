import { createPublicClient, type PublicClient, type Transport } from 'viem';
import { StopError } from '../../platform/errors.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { chainIds } from '../../platform/chains.ts';
import { createBlockHeights } from './block-heights.ts';
import type { Call } from './chain-of-answer.ts';
import { createEndpointHealth, type EndpointHealth } from './endpoint-health.ts';
import { observedHttp, type RpcObserver } from './observed-http.ts';

/** One HTTP endpoint of a network, for what must not be learnt from whichever endpoint answers first. */
export interface Endpoint {
  /** Its protocol and host, without the key that its URL may carry; with its number where another endpoint has the same host. */
  name: string;
  rpc: PublicClient;
  health?: EndpointHealth | undefined;
}

/** An endpoint that several clients may use; what one of them learns of its health, all know. */
export interface SharedEndpoint extends Endpoint {
  transport: Transport;
  health: EndpointHealth;
}

/** How endpoints are watched. */
export interface EndpointOptions {
  /** Whether each is asked now and then of which chain it is, and is not used while it is of another one. */
  checksChain?: boolean;
  /** Whether the only endpoint of a network rests, too, while it does not answer. */
  restsAlone?: boolean;
  /** Whether a newest block that no other endpoint can have is no answer. */
  refusesLeads?: boolean;
}

/** The addresses of a network's HTTP endpoints, in their order. Throws `invalid_settings` when there is none. */
function httpUrls({ chain, rpcUrls }: Pick<NetworkSettings, 'chain' | 'rpcUrls'>): string[] {
  const urls = rpcUrls.filter((url) => url.startsWith('http'));
  if (urls.length > 0) return urls;
  throw new StopError({ code: 'invalid_settings', message: `${chain} has no RPC endpoint: set ${networkVariable(chain, 'rpcUrls')}` });
}

/**
 * The HTTP endpoints of a network, in their order. None retries, because callers repeat their work themselves. Where there are several, one that does not
 * answer rests. `observe` sees each request. Throws `invalid_settings` when the network has no HTTP endpoint.
 */
export function createEndpoints(
  { chain, rpcUrls, blockTimeSeconds = 1 }: Pick<NetworkSettings, 'chain' | 'rpcUrls'> & { blockTimeSeconds?: number },
  observe?: RpcObserver,
  { checksChain = false, restsAlone = false, refusesLeads = false }: EndpointOptions = {},
): SharedEndpoint[] {
  const urls = httpUrls({ chain, rpcUrls });
  const hosts = urls.map((url) => withoutUrlSecrets(url));
  const heights = createBlockHeights(blockTimeSeconds);
  return urls.map((url, index) => {
    const host = hosts[index] ?? '';
    const isShared = hosts.filter((other) => other === host).length > 1;
    const name = isShared ? `${host} (endpoint ${index + 1})` : host;
    const http = observedHttp(url, observe);
    const plain = createPublicClient({ transport: http, cacheTime: 0 });
    const health = createEndpointHealth({
      name,
      probe: { blockNumber: () => plain.request({ method: 'eth_blockNumber' }), chainId: () => plain.getChainId() },
      chainId: checksChain ? chainIds[chain] : undefined,
      heights,
      rests: urls.length > 1 || restsAlone,
      isAlone: urls.length === 1,
      refusesLeads,
    });
    const transport = healthyTransport(http, health);
    return { name, rpc: createPublicClient({ transport, cacheTime: 0 }), transport, health };
  });
}

/** How many endpoints of a network must agree before what they say settles a leg: 2 where it has several, unless the operator says otherwise. */
export function rpcQuorum(network: Pick<NetworkSettings, 'rpcUrls' | 'rpcQuorum'>): number {
  return network.rpcQuorum ?? Math.min(2, network.rpcUrls.filter((url) => url.startsWith('http')).length);
}

type Request = (call: Call, ...rest: unknown[]) => Promise<unknown>;

/** Viem makes a transport for each client anew; what is known of the endpoint is beside them. */
function healthyTransport(http: Transport, health: EndpointHealth): Transport {
  return (options) => {
    const made = http(options);
    const request: Request = (call, ...more) => health.send(call, () => (made.request as Request)(call, ...more));
    return { ...made, request: request as never };
  };
}
