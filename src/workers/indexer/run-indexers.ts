import { Registry } from 'prom-client';
import type { Chain } from '../../platform/chains.ts';
import { startBesideOthers } from '../start-beside-others.ts';
import { createLog } from '../../platform/log.ts';
import type { Running } from '../../platform/loop.ts';
import { serveMetrics } from '../../platform/metrics/metrics-server.ts';
import { networkSettings, type Settings } from '../../platform/settings.ts';
import { runIndexer } from './run-indexer.ts';

/**
 * Runs the indexers of networks, and serves their metrics. Each has a Ponder of its own, so that neither an outage nor a deep reorganisation of one stops
 * another. Throws `invalid_settings`, `port_in_use`, and where there is one network only, what {@link runIndexer} throws.
 */
export async function runIndexers(settings: Settings, chains: readonly Chain[]): Promise<Running> {
  const { metricsPort, host, logLevel } = settings;
  for (const chain of chains) networkSettings(settings, chain);
  const log = createLog(logLevel, { process: 'indexer' });
  const registry = new Registry();
  const ports = readerPorts(settings.indexerPort, chains);
  const start = (chain: Chain) => () => runIndexer({ ...settings, indexerPort: ports.get(chain) }, chain, registry);
  const running: Running[] = metricsPort === undefined ? [] : [await serveMetrics(registry, metricsPort, host)];
  const close = async () => {
    await Promise.all(running.map((part) => part.close()));
  };
  try {
    const starting = chains.map(async (chain) =>
      chains.length > 1 ? startBesideOthers(start(chain), log.child({ chain })) : start(chain)(),
    );
    running.push(...(await Promise.all(starting)));
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The ports on which rows are served to readers: `INDEXER_PORT` for the first network, the next port for the next. Without it none. */
export function readerPorts(first: number | undefined, chains: readonly Chain[]): Map<Chain, number> {
  return first === undefined ? new Map() : new Map(chains.map((chain, index) => [chain, first + index]));
}
