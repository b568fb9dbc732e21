import type { Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import type { SharedEndpoint } from './endpoints.ts';

/** Looks at the endpoints of a network, so that those are known too that nothing else is asked of. */
export interface EndpointWatch extends Running {
  /** Resolves after a look at each endpoint that began after the call. */
  looked(): Promise<void>;
}

/** Between two looks: with the time for which it lasts, an endpoint that nobody asks is named within half a minute. */
const lookIntervalMs = 10_000;

/**
 * Starts to ask each of several endpoints for its newest block every `intervalMs`, and at once when the block of another may be an old one; what they answer is in
 * their health. None waits for another. A single one is asked by others all the time.
 */
export function watchEndpoints(endpoints: readonly SharedEndpoint[], log: Log, intervalMs: number = lookIntervalMs): EndpointWatch {
  if (endpoints.length < 2) return { looked: async () => {}, close: async () => {} };
  const loops = endpoints.map((endpoint) =>
    startLoop({
      name: 'endpoints',
      intervalMs,
      wokenBy: endpoints.flatMap((other) => (other === endpoint ? [] : [other.health.onUnsure])),
      log,
      // What fails is in its health.
      turn: async () => void (await endpoint.rpc.getBlockNumber({ cacheTime: 0 }).catch(() => {})),
    }),
  );
  return {
    looked: async () => void (await Promise.all(loops.map((loop) => loop.turned()))),
    close: async () => void (await Promise.all(loops.map((loop) => loop.close()))),
  };
}
