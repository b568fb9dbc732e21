import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { createLedger } from '../ledger/ledger.ts';
import { createPool } from '../platform/database.ts';
import { createAppServer } from '../platform/http/app-server.ts';
import { createLog } from '../platform/log.ts';
import type { Running } from '../platform/loop.ts';
import { serveMetrics } from '../platform/metrics/metrics-server.ts';
import { addPoolMetrics } from '../platform/metrics/pool-metrics.ts';
import { registeredHistogram } from '../platform/metrics/registered.ts';
import { statementConnection } from '../platform/postgres/connections.ts';
import { closeServer, listen } from '../platform/process/http-server.ts';
import { createWaker } from '../platform/queue/waker.ts';
import { openSealer } from '../platform/sealing.ts';
import { consoleUrl, type Settings } from '../platform/settings.ts';
import { openFileStorage } from '../platform/storage.ts';
import { createConsole } from './app.ts';
import type { ConsoleMetrics } from './console-env.ts';
import { describeError } from './http/error-response.ts';

/** Time that requests in flight have to finish at shutdown. */
const shutdownTimeoutMs = 5_000;

/** Where `npm run build:console` puts the pages. */
const bundle = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Runs the console until it is closed. Throws `invalid_settings` and `port_in_use`. */
export async function runConsole(settings: Settings): Promise<Running & { url: string }> {
  const log = createLog(settings.logLevel, { component: 'console' });
  const sealer = openSealer(settings);
  const files = await openFileStorage(settings);
  const metrics = createConsoleMetrics();
  const waker = createWaker(settings, log, metrics.registry);
  const pool = createPool({ ...statementConnection(settings), max: settings.databasePoolSize, log, name: 'mintrail console' });
  const closing = new AbortController();
  addPoolMetrics(metrics.registry, 'console', pool);
  const ledger = createLedger(pool, waker, settings.quotas);
  const app = createConsole({ settings, ledger, pool, log, sealer, files, metrics, bundle, closing: closing.signal });
  const server = createAppServer({
    fetch: app.fetch,
    answerError(error, correlationId) {
      const { status, ...body } = describeError(error);
      return { status, body: { ...body, correlationId } };
    },
    keepAliveSeconds: settings.keepAliveSeconds,
    trustedProxies: settings.trustedProxies,
    closing: closing.signal,
    log,
  });
  const release = () => Promise.allSettled([waker.close(), pool.end()]);
  const { metricsPort, consoleHost, consolePort } = settings;
  const remedy = 'set CONSOLE_PORT or CONSOLE_HOST to an address that is free';
  const address = { name: 'The console', host: consoleHost, port: consolePort, remedy };
  const open: Running[] = [];
  const close = async () => {
    closing.abort();
    await Promise.all(open.map((part) => part.close()));
    await release();
  };
  const start = async () => {
    const port = await listen(server, address);
    open.push({ close: () => closeServer(server, shutdownTimeoutMs) });
    if (metricsPort !== undefined) open.push(await serveMetrics(metrics.registry, metricsPort, consoleHost));
    return port;
  };
  const port = await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const url = consoleUrl({ ...settings, consolePort: port });
  log.info({ url }, 'console listens');
  return { url, close };
}

/** The metrics that the console records itself. */
export function createConsoleMetrics(): ConsoleMetrics {
  const registry = new Registry();
  return { registry, requestSeconds: registeredHistogram(registry, 'mintrail_console_request_duration_seconds') };
}
