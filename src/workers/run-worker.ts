import { Registry } from 'prom-client';
import type { Chain } from '../platform/chains.ts';
import { serveMetrics } from '../platform/metrics-server.ts';
import type { Running } from '../platform/loop.ts';
import type { Settings } from '../platform/settings.ts';
import { runChainWorker } from './run-chain-worker.ts';
import { runCommonWorker } from './run-common-worker.ts';

/** Runs the loops of one network, or with `common` those that belong to no network, or both, and serves their metrics. */
export async function runWorker(settings: Settings, { chain, common }: { chain?: Chain; common?: boolean }): Promise<Running> {
  const { metricsPort, host } = settings;
  const registry = new Registry();
  const running = await Promise.all([
    ...(chain ? [runChainWorker(settings, chain, { registry })] : []),
    ...(common ? [runCommonWorker(settings, registry)] : []),
  ]);
  if (metricsPort !== undefined) running.push(await serveMetrics(registry, metricsPort, host));
  return {
    async close() {
      await Promise.all(running.map((part) => part.close()));
    },
  };
}
