import { probeChainId } from '../probes/endpoint.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

/**
 * The network with those of its endpoints that answer and serve its chain. Throws `wrong_chain` where one serves another chain, and
 * `rpc_unreachable` where none answers.
 */
export async function withAnsweringEndpoints(network: NetworkSettings): Promise<NetworkSettings> {
  const rpcUrls: string[] = [];
  const silent: string[] = [];
  for (const [index, url] of network.rpcUrls.entries()) {
    const { level, subject, detail, remedy = '' } = await probeChainId(network, url, index + 1);
    if (level === 'failure') throw new StopError({ code: 'wrong_chain', message: `${subject}: ${detail}. ${remedy}` });
    if (level === 'unknown') silent.push(`${subject}: ${detail}`);
    else rpcUrls.push(url);
  }
  if (rpcUrls.length === 0 && silent.length > 0) throw new RetryError({ code: 'rpc_unreachable', message: silent.join('; ') });
  return { ...network, rpcUrls };
}
