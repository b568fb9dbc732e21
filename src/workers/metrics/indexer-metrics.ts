import type { Registry } from 'prom-client';
import type { Chain } from '../../platform/chains.ts';
import { registeredCounter, registeredGauge } from '../../platform/metrics/registered.ts';
import type { Position } from '../indexer/lag-watch.ts';

/** The metrics of a network's indexer; `show` takes each position. */
export function createIndexerMetrics(registry: Registry, chain: Chain) {
  const newestBlock = registeredGauge(registry, 'mintrail_indexer_block');
  const lag = registeredGauge(registry, 'mintrail_indexer_lag_blocks');
  const isReady = registeredGauge(registry, 'mintrail_indexer_ready');
  const restarts = registeredCounter(registry, 'mintrail_indexer_restarts_total');
  restarts.inc({ chain }, 0);
  return {
    restarts,
    show({ ready, block, head }: Position) {
      const indexed = BigInt(block ?? 0);
      newestBlock.set({ chain }, Number(indexed));
      isReady.set({ chain }, ready ? 1 : 0);
      // Ponder may have seen a block that this endpoint has not.
      if (head !== undefined) lag.set({ chain }, Math.max(0, Number(head - indexed)));
    },
  };
}
