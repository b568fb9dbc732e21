import { Registry } from 'prom-client';
import type { Chain } from '../platform/chains.ts';
import { createLog } from '../platform/log.ts';
import { serveMetrics } from '../platform/metrics/metrics-server.ts';
import type { Running } from '../platform/loop.ts';
import { createWaker } from '../platform/queue/waker.ts';
import { networkSettings, type Settings } from '../platform/settings.ts';
import { runChainWorker } from './run-chain-worker.ts';
import { runCommonWorker } from './run-common-worker.ts';
import { startBesideOthers } from './start-beside-others.ts';

/** What a worker process works for. */
export interface WorkerScope {
  /** The networks whose lanes, settler and signature checks it runs. */
  chains: readonly Chain[];
  /** Whether it runs the loops that belong to no network. */
  common: boolean;
}

/** Of each part of the process: a loop that waits for a lock must not stop the others. */
const leastConnections = 3;

/**
 * Runs the loops of networks, those that belong to no network, or both, and serves their metrics. The networks share the process and its
 * wake-ups, and each has connections, endpoints, signers, alarms and a heartbeat of its own. A network that cannot be started is tried again while the
 * others run, and throws where there are no others. But an uncaught exception of one ends the process for all. Throws `invalid_settings` for any of
 * them.
 */
export async function runWorker(settings: Settings, { chains, common }: WorkerScope): Promise<Running> {
  const { metricsPort, host, logLevel, databasePoolSize } = settings;
  for (const chain of chains) networkSettings(settings, chain);
  const log = createLog(logLevel, { process: 'worker' });
  const registry = new Registry();
  const waker = createWaker(settings, log, registry);
  const parts = chains.length + (common ? 1 : 0);
  const poolSize = Math.max(leastConnections, Math.floor(databasePoolSize / parts));
  const startChain = (chain: Chain) => () => runChainWorker(settings, chain, { registry, waker, poolSize });
  const running: Running[] = [];
  const close = async () => {
    await Promise.all(running.map((part) => part.close()));
    await waker.close();
  };
  try {
    if (metricsPort !== undefined) running.push(await serveMetrics(registry, metricsPort, host));
    if (common) running.push(await runCommonWorker(settings, { registry, waker, poolSize }));
    for (const chain of chains)
      running.push(parts > 1 ? startBesideOthers(startChain(chain), log.child({ chain })) : await startChain(chain)());
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}
