import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { grantReading, type TablesOwner } from '../../indexed/reader-role.ts';
import { StopError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Running } from '../../platform/loop.ts';
import type { NetworkSettings, Settings } from '../../platform/settings.ts';
import { type KeptProcess, keepRunning, startPonder } from './ponder-process.ts';

/** Readers share this much memory and nothing else with the indexer: whoever asks for too much ends the readers' process, not indexing. */
const heapMegabytes = 256;

/** A reader's query that takes longer is cancelled. */
const statementTimeoutMs = 5_000;

/** Serves the indexed rows of a network; `start` does nothing when it was called before. */
export interface Readers extends Running {
  start(): void;
  /** Serves the tables of another schema from now on, once they have been started. */
  restart(): Promise<void>;
}

/**
 * Prepares `ponder serve`, which answers GraphQL and SQL over the tables of a schema on `INDEXER_PORT` (docs/indexed-data.md); it can start once
 * the tables are there. Without the setting nothing is served. Throws `invalid_settings` without a connection for
 * readers, and `port_in_use`, because Ponder would take the next port without a word.
 */
export async function createReaders(options: {
  settings: Settings;
  network: NetworkSettings;
  endpointsUrl: string;
  /** The schema that is served when the process starts. */
  schema: () => string;
  database: TablesOwner;
  log: Log;
}): Promise<Readers> {
  const { settings, network, endpointsUrl, schema, database, log } = options;
  const { indexerPort: port, indexerReaderUrl: readerUrl, host } = settings;
  if (port === undefined) return { start() {}, async restart() {}, async close() {} };
  if (readerUrl === undefined)
    throw new StopError({
      code: 'invalid_settings',
      message:
        "INDEXER_PORT needs INDEXER_READER_URL, a PostgreSQL connection of a role that may do nothing else (docs/indexed-data.md, The readers' role)",
      fields: { INDEXER_READER_URL: 'is required by INDEXER_PORT' },
    });
  await requireFreePort(port, host);
  const folder = path.resolve(settings.dataDir, 'readers', network.chain);
  let running: KeptProcess | undefined;
  const start = async () => {
    const tables = schema();
    await grantReading(database, readerUrl, tables);
    log.info({ port, host }, 'serving the indexed rows');
    return startPonder({
      network,
      endpointsUrl,
      command: ['serve', '--schema', tables, '--port', String(port), '--hostname', host],
      databaseUrl: readOnlyUrl(readerUrl),
      // Ponder writes the GraphQL schema into its working directory.
      cwd: folder,
      env: { SERVES_READERS: host, TRUST_PROXY: String(settings.trustedProxies) },
      nodeOptions: [`--max-old-space-size=${heapMegabytes}`],
      logFile: path.resolve(settings.dataDir, 'logs', `readers-${network.chain}.log`),
    });
  };
  return {
    start() {
      if (running) return;
      mkdirSync(folder, { recursive: true });
      running = keepRunning('the process for readers of indexed rows', start, log);
    },
    async restart() {
      await running?.stop();
    },
    async close() {
      await running?.close();
    },
  };
}

/** Connections of this URL do not write, and cancel what takes too long. */
function readOnlyUrl(readerUrl: string): string {
  const url = new URL(readerUrl);
  url.searchParams.set(
    'options',
    `-c default_transaction_read_only=on -c statement_timeout=${statementTimeoutMs} -c max_parallel_workers_per_gather=0`,
  );
  url.searchParams.set('statement_timeout', String(statementTimeoutMs));
  return url.href;
}

async function requireFreePort(port: number, host: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new StopError({
          code: 'port_in_use',
          message: `The indexed rows cannot be served on ${host}:${port} (${cause.message}): set INDEXER_PORT to a free port, a different one for each network`,
          cause,
        }),
      ),
    );
    server.listen(port, host, () => server.close(() => resolve()));
  });
}
