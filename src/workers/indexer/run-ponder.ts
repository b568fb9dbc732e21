import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Chain } from '../../platform/chains.ts';
import { createDatabase, createPool } from '../../platform/database.ts';
import { freePort } from '../../platform/process/free-port.ts';
import { type GuardedProcess, spawnGuarded } from '../../platform/process/guarded-process.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import { type NetworkSettings, networkSettings, type Settings } from '../../platform/settings.ts';
import { indexedNetworkEnvironment } from '../../indexed/indexed-network.ts';
import { readProgress } from '../../indexed/progress.ts';
import { tablesSchema, viewsSchema } from '../../indexed/schema-names.ts';

const root = fileURLToPath(new URL('../../../indexer/', import.meta.url));
const ponder = fileURLToPath(import.meta.resolve('ponder')).replace(/dist\/.*$/, 'dist/esm/bin/ponder.js');

/** Pause before Ponder is restarted after it ended by itself: it waits for the lock of its schema anyway. */
const restartPauseMs = 1_000;

/** What the indexer of a network reports of itself. */
export interface IndexerReport {
  ready: boolean;
  /** Newest indexed block. */
  block: string | null;
}

/** Which network is indexed, and where its progress is reported. */
export interface IndexerOptions {
  settings: Settings;
  chain: Chain;
  /** Called every two seconds with what is indexed so far. */
  report: (report: IndexerReport) => Promise<void>;
}

/**
 * Runs Ponder for one network, as a child because it takes its commands from its own command line, and keeps it running.
 * Its log goes to `<data dir>/logs/ponder-<chain>.log`.
 */
export async function runPonder({ settings, chain, report }: IndexerOptions): Promise<Running> {
  const network = networkSettings(settings, chain);
  const log = createLog(settings.logLevel, { process: 'indexer', chain });
  const database = createDatabase<Record<string, never>>(
    createPool({ connectionString: settings.databaseUrl, max: 2, log, name: `mintrail indexer ${chain}` }),
  );
  const state = { closed: false };
  let child: GuardedProcess | undefined;

  const keepRunning = async () => {
    while (!state.closed) {
      child = await startPonder(settings, network, log);
      const exit = await child.exited;
      if (state.closed) return;
      log.error({ ...exit }, 'Ponder ended by itself; restarting it');
      await new Promise((resolve) => setTimeout(resolve, restartPauseMs));
    }
  };
  const ended = keepRunning();
  const watch = startLoop({
    name: 'indexer',
    intervalMs: 2_000,
    log,
    turn: async () => {
      const progress = await readProgress(database, chain);
      await report({ ready: progress?.ready ?? false, block: progress?.block.toString() ?? null });
    },
  });
  return {
    async close() {
      state.closed = true;
      await watch.close();
      await child?.stop();
      await ended;
      await database.destroy();
    },
  };
}

async function startPonder(settings: Settings, network: NetworkSettings, log: Log): Promise<GuardedProcess> {
  const schema = tablesSchema(network);
  const port = await freePort();
  const own = ['--schema', schema, '--views-schema', viewsSchema(network.chain), '--port', String(port), '--hostname', '127.0.0.1'];
  log.info({ schema }, 'starting Ponder');
  return spawnGuarded({
    command: process.execPath,
    args: [ponder, '--root', root, '--log-format', 'json', 'start', ...own],
    // SIGTERM would leave the schema locked for half a minute.
    signal: 'SIGINT',
    cwd: path.resolve(root, '..'),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: settings.databaseUrl,
      PONDER_TELEMETRY_DISABLED: '1',
      ...indexedNetworkEnvironment(network),
    },
    logFile: path.resolve(settings.dataDir, 'logs', `ponder-${network.chain}.log`),
  });
}
