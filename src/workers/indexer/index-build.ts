import path from 'node:path';
import { unlockIndex } from '../../indexed/progress.ts';
import type { TablesOwner } from '../../indexed/reader-role.ts';
import { viewsSchema } from '../../indexed/schema-names.ts';
import { connectionName, type IndexRun, ownerQuery } from '../../ledger/lanes/index-owners.ts';
import type { Log } from '../../platform/log.ts';
import { directUrl } from '../../platform/postgres/connections.ts';
import { freePort } from '../../platform/process/free-port.ts';
import type { GuardedProcess } from '../../platform/process/guarded-process.ts';
import type { NetworkSettings, Settings } from '../../platform/settings.ts';
import { type KeptProcess, keepRunning, memoryFlags, startPonder } from './ponder-process.ts';
import { createPonderRuns, type PonderRuns } from './ponder-runs.ts';
import { createSilenceWatch } from './silence.ts';

/** Ponder writes its heartbeat every 10 seconds, also while it reads the past. */
const hangMs = 120_000;

/** What a Ponder needs to write the tables of a network. */
export interface IndexBuildOptions {
  settings: Settings;
  network: NetworkSettings;
  endpointsUrl: string;
  database: TablesOwner;
  /** By which this process may write the index of that name. */
  owner: IndexRun;
  log: Log;
}

/** A Ponder that writes one schema, and is started again whenever it ends. When it has read the past, the views of its network are those of its tables. */
export interface IndexBuild extends KeptProcess {
  schema: string;
  runs: PonderRuns;
  /**
   * Restarts a Ponder that gives no sign of life; `sign` is the last in its tables. Returns whether the one that runs has taken over the tables, so that what stands in
   * them is its own.
   */
  watch(sign: string | undefined): Promise<boolean>;
}

/** Starts to write a schema, for a run that owns the index. */
export function startIndexBuild({ settings, network, endpointsUrl, database, owner, log }: IndexBuildOptions, schema: string): IndexBuild {
  const { chain } = network;
  const runs = createPonderRuns();
  const recordEnd = async ({ exited }: GuardedProcess) => {
    const exit = await exited;
    if (runs.ended(exit))
      log.error({ ...exit, heapMegabytes: runs.heapMegabytes() }, 'Ponder was aborted; its next start has a larger heap');
  };
  const silence = createSilenceWatch();
  let startedAt = Date.now();
  const start = async () => {
    await unlockIndex(database, schema);
    const port = String(await freePort());
    const heapMegabytes = runs.heapMegabytes();
    log.info({ schema, heapMegabytes }, 'starting Ponder');
    startedAt = Date.now();
    const started = startPonder({
      network,
      endpointsUrl,
      nodeOptions: memoryFlags(heapMegabytes),
      command: ['start', '--schema', schema, '--views-schema', viewsSchema(chain), '--port', port, '--hostname', '127.0.0.1'],
      databaseUrl: directUrl(settings),
      logFile: path.resolve(settings.dataDir, 'logs', `ponder-${chain}.log`),
      env: { OWNED_INDEX: JSON.stringify({ connectionName: connectionName(owner.run), query: ownerQuery(owner) }) },
    });
    void recordEnd(started);
    return started;
  };
  const kept = keepRunning('Ponder', start, log);
  return {
    ...kept,
    schema,
    runs,
    async watch(sign) {
      const silentSince = silence(sign);
      if (Date.now() - Math.max(silentSince, startedAt) > hangMs) {
        log.error({ schema }, 'Ponder has given no sign of life for two minutes; restarting it');
        await kept.stop();
      }
      return Number(sign ?? 0) >= startedAt;
    },
  };
}
