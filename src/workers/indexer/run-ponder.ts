import path from 'node:path';
import type { Chain } from '../../platform/chains.ts';
import { directUrl } from '../../platform/postgres/connections.ts';
import type { TablesOwner } from '../../indexed/reader-role.ts';
import { freePort } from '../../platform/process/free-port.ts';
import type { GuardedProcess } from '../../platform/process/guarded-process.ts';
import { createLog } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import { networkSettings, type Settings } from '../../platform/settings.ts';
import { readHeartbeat, readProgress, unlockIndex } from '../../indexed/progress.ts';
import { connectionName, ownerQuery } from '../../ledger/lanes/index-owners.ts';
import { tablesSchema, viewsSchema } from '../../indexed/schema-names.ts';
import { keepRunning, memoryFlags, startPonder } from './ponder-process.ts';
import { createPonderRuns, type PonderEnds } from './ponder-runs.ts';
import { createReaders } from './readers.ts';
import { createSilenceWatch } from './silence.ts';
import { startIndexOwnership } from './index-ownership.ts';

/** Ponder writes its heartbeat every 10 seconds, also while it reads the past. */
const hangMs = 120_000;

/** What the indexer of a network reports of itself. */
export interface IndexerReport {
  ready: boolean;
  /** Whether the Ponder that runs has taken over the tables. Until then they say what the one before it wrote, also that it was ready. */
  hasTakenOver: boolean;
  /** Newest indexed block. */
  block: string | null;
  /** How it ended since it last ran well. */
  ends: PonderEnds | undefined;
}

/** Which network is indexed, and where its progress is reported. */
export interface IndexerOptions {
  settings: Settings;
  chain: Chain;
  /** Reads what is indexed, and lets readers read it. */
  database: TablesOwner;
  /** Called every two seconds with what is indexed so far. Answers whether Ponder is to be restarted. */
  report: (report: IndexerReport) => Promise<{ restarts: boolean }>;
}

/**
 * Runs Ponder for one network, as a child because it takes its commands from its own command line, and keeps it running. With `INDEXER_PORT`
 * it also serves the indexed rows to readers. Ponder's log goes to `<data dir>/logs/ponder-<chain>.log`. Throws `invalid_settings`, `port_in_use`.
 */
export async function runPonder({ settings, chain, database, report }: IndexerOptions): Promise<Running> {
  const network = networkSettings(settings, chain);
  const log = createLog(settings.logLevel, { process: 'indexer', chain });
  const schema = tablesSchema(network);
  const readers = await createReaders({ settings, network, schema, database, log });
  const runs = createPonderRuns();
  const recordEnd = async ({ exited }: GuardedProcess) => {
    const exit = await exited;
    if (runs.ended(exit))
      log.error({ ...exit, heapMegabytes: runs.heapMegabytes() }, 'Ponder was aborted; its next start has a larger heap');
  };
  let startedAt = Date.now();
  const ownership = startIndexOwnership({ database, schema, log, onLost: () => void indexing.stop() });
  const indexing = keepRunning(
    'Ponder',
    async () => {
      const run = await ownership.owned();
      await unlockIndex(database, schema);
      const port = String(await freePort());
      const heapMegabytes = runs.heapMegabytes();
      log.info({ schema, heapMegabytes }, 'starting Ponder');
      startedAt = Date.now();
      const started = startPonder({
        network,
        nodeOptions: memoryFlags(heapMegabytes),
        command: ['start', '--schema', schema, '--views-schema', viewsSchema(chain), '--port', port, '--hostname', '127.0.0.1'],
        databaseUrl: directUrl(settings),
        logFile: path.resolve(settings.dataDir, 'logs', `ponder-${chain}.log`),
        env: { OWNED_INDEX: JSON.stringify({ connectionName: connectionName(run), query: ownerQuery({ schema, run }) }) },
      });
      void recordEnd(started);
      return started;
    },
    log,
  );
  const isSilent = createSilenceWatch(hangMs);
  const watch = startLoop({
    name: 'indexer',
    intervalMs: 2_000,
    log,
    turn: async () => {
      const heartbeat = await readHeartbeat(database, schema);
      if (isSilent(heartbeat)) {
        log.error({ schema }, 'Ponder has given no sign of life for two minutes; restarting it');
        await indexing.stop();
      }
      const progress = await readProgress(database, chain);
      if (progress) readers.start();
      const ready = progress?.ready ?? false;
      runs.reported(ready);
      const { restarts } = await report({
        ready,
        hasTakenOver: Number(heartbeat ?? 0) >= startedAt,
        block: progress?.block.toString() ?? null,
        ends: runs.ends(),
      });
      if (restarts) await indexing.stop();
    },
  });
  return {
    async close() {
      await watch.close();
      // What waits to be the owner ends, then Ponder, and only then may another write.
      const ended = Promise.all([indexing.close(), readers.close()]);
      ownership.giveUp();
      await ended;
      await ownership.close();
    },
  };
}
