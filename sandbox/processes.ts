import path from 'node:path';
import { startEmbeddedPostgres } from './postgres/embedded-postgres.ts';
import { startPgbouncer } from './postgres/pgbouncer.ts';
import type { Running } from '../src/platform/loop.ts';
import type { Chain } from '../src/platform/chains.ts';
import { type Environment, loadSomeSettings, settingsEnvironment } from '../src/platform/settings.ts';
import { type ForkSources, startForkSources } from './fork/start-sources.ts';
import { chainsOf, type Instance } from './instance.ts';
import { portsOfMetrics, writeMetricsTargets } from './metrics-targets.ts';
import { startChain } from './networks.ts';
import { startServiceProcess } from './service-process.ts';
import { type Restartable, type Supervised, supervise } from './supervise.ts';
import type { Terminal } from './terminal.ts';

/** What the sandbox's processes are started with. */
export interface ProcessesOptions {
  dataDir: string;
  /** Seconds between blocks while there is something to mine. */
  blockTimeSeconds: number;
  /** Blocks on top before an outcome counts. */
  confirmations: number;
  /** Whether the database is reached through a PgBouncer. */
  pgbouncer: boolean;
  terminal: Terminal;
}

/** All processes of the sandbox. */
export interface SandboxProcesses extends Running {
  /** Rejects when one of them cannot be started. */
  failed: Promise<never>;
  /** Starts the database, the sources of the forks, and the chains. */
  startInfrastructure(instance: Instance): Promise<Infrastructure>;
  /** Starts Mintrail's own processes for these chains, with these environment variables. */
  startServices(chains: readonly Chain[], env: Environment): void;
  /** Closes something with the processes, before the database. */
  closeWith(running: Running): void;
}

/** What Mintrail's own processes need. */
export interface Infrastructure {
  databaseUrl: string;
  /** The same database through PgBouncer. */
  poolerUrl: string | undefined;
  rpcUrls: Record<string, string>;
  sources: ForkSources;
  /** Stores the chains as they are now. */
  storeChains: () => Promise<void>;
}

/** The command lines of Mintrail's own processes, by the name of their log. One worker and one indexer serve all chains: together they need a third of the memory. */
function servicesOf(chains: readonly Chain[]): Record<string, readonly string[]> {
  const options = chains.flatMap((chain) => ['--chain', chain]);
  return { api: ['api'], console: ['console'], worker: ['worker', ...options, '--common'], indexer: ['indexer', ...options] };
}

/** Starts nothing yet. Started processes are kept running until `close`, which stops Mintrail's own before the database and the chains. */
export function createSandboxProcesses(options: ProcessesOptions): SandboxProcesses {
  const { dataDir, terminal } = options;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const infrastructure: Supervised[] = [];
  const ownServices: Supervised[] = [];
  const others: Running[] = [];
  const forks: Running[] = [];
  const starting: Promise<unknown>[] = [];
  const state = { closing: false };
  const logFile = (name: string) => path.join(dataDir, 'logs', `${name}.log`);

  const keep = <T extends Restartable>(list: Supervised[], name: string, start: () => Promise<T> | T, first: T): T => {
    const supervised = supervise({ name, start, first, report: terminal.warn, logFile: logFile(name) });
    supervised.failed.catch((error: unknown) => failure.reject(error));
    list.push(supervised);
    return first;
  };
  const begin = async <T extends Restartable>(name: string, start: () => Promise<T>): Promise<T> => {
    const first = start();
    starting.push(first.catch(() => {}));
    return keep(infrastructure, name, start, await first);
  };

  return {
    failed: failure.promise,
    async startInfrastructure(instance) {
      const sources = await startForkSources(dataDir, instance);
      forks.push(sources);
      const names = chainsOf(instance);
      const postgres = begin('postgres', () => startEmbeddedPostgres({ dataDir }));
      const chains = names.map((chain) => begin(`anvil-${chain}`, () => startChain(chain, { ...options, instance }, sources.urls[chain])));
      const [database, ...anvils] = await Promise.all([postgres, ...chains]);
      const databaseUrl = database.url('postgres');
      const pooler = options.pgbouncer ? await begin('pgbouncer', () => startPgbouncer({ dataDir, databaseUrl })) : undefined;
      const rpcUrls = Object.fromEntries(names.map((chain, index) => [chain, anvils[index]?.url ?? '']));
      const storeChains = async () => void (await Promise.all(anvils.map((anvil) => anvil.store())));
      return { databaseUrl, poolerUrl: pooler?.url, rpcUrls, sources, storeChains };
    },
    closeWith: (running) => void others.push(running),
    startServices(chains, env) {
      if (state.closing) return;
      const services = servicesOf(chains);
      const metricsPorts = portsOfMetrics(loadSomeSettings(['metricsPort']).metricsPort, Object.keys(services));
      writeMetricsTargets(dataDir, metricsPorts);
      for (const [name, args] of Object.entries(services)) {
        const report = (line: string): void => {
          // Connections are lost when everything is closed; that is not worth a line.
          if (!state.closing) terminal.warn(`[${name}] ${line}`);
        };
        const metricsPort = metricsPorts.get(name);
        const own = metricsPort === undefined ? env : { ...env, ...settingsEnvironment({ metricsPort: String(metricsPort) }) };
        const start = (): Restartable => startServiceProcess({ args, env: own, logFile: logFile(name), onError: report });
        keep(ownServices, name, start, start());
      }
    },
    async close() {
      state.closing = true;
      await Promise.all(starting);
      await Promise.all([...ownServices, ...others].map((process) => process.close()));
      await Promise.all(infrastructure.map((process) => process.close()));
      await Promise.all(forks.map((source) => source.close()));
    },
  };
}
