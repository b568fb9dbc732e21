import type { Registry } from 'prom-client';
import type { RpcObserver } from '../../chain/endpoints/observed-http.ts';
import type { Chain } from '../../platform/chains.ts';
import { registeredCounter, registeredHistogram } from '../../platform/metrics/registered.ts';

/** Counts and times the requests to a network's endpoints: the returned function takes each. */
export function countRpcRequests(registry: Registry, chain: Chain): RpcObserver {
  const requests = registeredCounter(registry, 'mintrail_rpc_requests_total');
  const durations = registeredHistogram(registry, 'mintrail_rpc_request_duration_seconds');
  return ({ endpoint, method, result, seconds }) => {
    requests.inc({ chain, endpoint, method, result });
    durations.observe({ chain, endpoint }, seconds);
  };
}
