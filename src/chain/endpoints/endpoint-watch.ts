import type { Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import type { SharedEndpoint } from './endpoints.ts';

/** Looks at the endpoints of a network, so that those are known too that nothing else is asked of. */
export interface EndpointWatch extends Running {
  /** Resolves after a look that began after the call. */
  looked(): Promise<void>;
}

/** Between two looks: with the time for which it lasts, an endpoint that nobody asks is named within half a minute. */
const intervalMs = 10_000;

/** Starts to ask each of several endpoints for its newest block; what they answer is in their health. A single one is asked by others all the time. */
export function watchEndpoints(endpoints: readonly SharedEndpoint[], log: Log): EndpointWatch {
  if (endpoints.length < 2) return { looked: async () => {}, close: async () => {} };
  const turn = async () => void (await Promise.allSettled(endpoints.map(({ rpc }) => rpc.getBlockNumber({ cacheTime: 0 }))));
  const loop = startLoop({ name: 'endpoints', intervalMs, log, turn });
  return { looked: () => loop.turned(), close: () => loop.close() };
}
