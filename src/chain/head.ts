import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Running, startLoop } from '../platform/loop.ts';
import { withoutUrlSecrets } from '../platform/url-secrets.ts';
import type { Rpc } from './rpc.ts';

/** Follows the newest block of a chain. */
export interface Head extends Running {
  /** The highest block seen; undefined before the first answer. A lower answer comes from a node that lags, and is ignored. */
  number(): bigint | undefined;
  /** Why no node is reachable; undefined while one is. */
  outage(): string | undefined;
  /** Calls `listener` after each new block until the returned handle is closed. */
  onBlock(listener: () => void): Running;
}

/** Follows the newest block of a chain, asking every `intervalMs`. */
export function followHead(rpc: Rpc, intervalMs: number, log: Log): Head {
  let highest: bigint | undefined;
  let outage: string | undefined;
  const listeners = new Set<() => void>();
  const turn = async () => {
    try {
      const number = await rpc.getBlockNumber({ cacheTime: 0 });
      if (outage !== undefined) log.info({ block: number.toString() }, 'the chain can be reached again');
      outage = undefined;
      if (highest !== undefined && number <= highest) return;
      highest = number;
      for (const listener of listeners) listener();
    } catch (error) {
      if (outage === undefined) log.warn({ err: messageOf(error) }, 'the chain cannot be reached');
      outage = withoutUrlSecrets(messageOf(error));
    }
  };
  const loop = startLoop({ name: 'head', intervalMs, turn, log });
  return {
    number: () => highest,
    outage: () => outage,
    onBlock(listener) {
      listeners.add(listener);
      return {
        async close() {
          listeners.delete(listener);
        },
      };
    },
    close: () => loop.close(),
  };
}
