import type { Server } from 'node:http';
import { createBalanceReader } from '../indexed/balances.ts';
import { createHoldingReader } from '../indexed/holdings.ts';
import { createOpeningReader } from '../indexed/opening-balance.ts';
import { newestSettledLeg } from '../ledger/lanes/decided-legs.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createRedemptionPlacement } from '../ledger/orders/placement/place-redemptions.ts';
import { statementConnection } from '../platform/postgres/connections.ts';
import { createPool } from '../platform/database.ts';
import { RetryError } from '../platform/errors.ts';
import { createAppServer } from '../platform/http/app-server.ts';
import { createLog, type Log } from '../platform/log.ts';
import { serveMetrics } from '../platform/metrics/metrics-server.ts';
import { addPoolMetrics } from '../platform/metrics/pool-metrics.ts';
import { closeServer, listen } from '../platform/process/http-server.ts';
import { createWaker } from '../platform/queue/waker.ts';
import type { Running } from '../platform/loop.ts';
import { openSealer } from '../platform/sealing.ts';
import type { Settings } from '../platform/settings.ts';
import { openFileStorage } from '../platform/storage.ts';
import { createDeliverer } from '../webhooks/deliverer.ts';
import type { Api, ApiMetrics } from './api.ts';
import { errorResponse } from './http/error-response.ts';
import { startFileSweep } from './customers/file-sweep.ts';
import { createApp } from './app.ts';
import { createApiMetrics } from './service/metrics.ts';
import { createPayoutOutage } from './service/payout-availability.ts';
import { createProxyWatch, startApiHeartbeat } from './proxy-watch.ts';
import { openSwapMaker } from './swap-maker.ts';

/** Time that requests in flight have to finish at shutdown. */
const shutdownTimeoutMs = 10_000;

/** A connection that does not answer an order for so long is given up, because every order waits for it: longer than the server works on a statement. */
const placementTimeoutMs = 7_000;

/** Runs the HTTP API until it is closed. Throws `invalid_settings`, and `port_in_use` when it cannot listen. */
export async function runApi(settings: Settings): Promise<Running & { url: string }> {
  const log = createLog(settings.logLevel, { component: 'api' });
  const sealer = openSealer(settings);
  const files = await openFileStorage(settings);
  const swap = await openSwapMaker(settings);
  let app: Api | undefined;
  const closing = new AbortController();
  const server = createAppServer({
    fetch(request, bindings) {
      if (app === undefined) throw new RetryError({ code: 'service_unavailable', message: 'the API is starting' });
      return app.fetch(request, bindings);
    },
    answerError: errorResponse,
    keepAliveSeconds: settings.keepAliveSeconds,
    trustedProxies: settings.trustedProxies,
    closing: closing.signal,
    log,
  });
  // Listens first: with PORT=0 the port is known only then, and the API's links contain it.
  const remedy = 'set PORT or HOST to an address that is free';
  const port = await listen(server, { name: 'The API', host: settings.host, port: settings.port, remedy });
  const metrics = createApiMetrics();
  const metricsServer = await openMetrics(metrics, settings, server);
  const { pool, placementPool } = createPools(settings, log);
  const waker = createWaker(settings, log, metrics.registry);
  addPoolMetrics(metrics.registry, 'api', pool);
  addPoolMetrics(metrics.registry, 'api orders', placementPool);
  const ledger = createLedger(pool, waker, settings.quotas);
  const proxies = createProxyWatch(settings.trustedProxies, log);
  const readHoldings = createHoldingReader(settings, newestSettledLeg);
  app = createApp({
    settings: { ...settings, port },
    ledger,
    pool,
    log,
    metrics,
    readBalances: createBalanceReader(ledger, settings, newestSettledLeg),
    readOpening: createOpeningReader(settings),
    readHoldings,
    placeRedemption: createRedemptionPlacement({ ledger, pool: placementPool, readHoldings }),
    payoutOutage: createPayoutOutage({ ledger, settings }),
    sealer,
    proxies,
    files,
    closing: closing.signal,
    swap,
    deliver: createDeliverer({ environment: settings.environment }),
  });
  const parts = [startFileSweep({ ledger, files, log }), startApiHeartbeat({ watch: proxies, ledger, log })];
  const url = `http://${isAnyAddress(settings.host) ? 'localhost' : settings.host}:${port}`;
  log.info({ url }, 'API listens');
  return {
    url,
    async close() {
      closing.abort();
      await Promise.all([closeServer(server, shutdownTimeoutMs), ...parts.map((part) => part.close())]);
      await Promise.allSettled([metricsServer?.close(), waker.close(), pool.end(), placementPool.end()]);
    },
  };
}

/**
 * Some of the connections are for orders alone, so that no long list keeps them waiting: one for the group that is being placed, one for what is undone
 * behind it.
 */
function createPools(settings: Settings, log: Log) {
  const { databasePoolSize } = settings;
  const connection = statementConnection(settings);
  const forOrders = databasePoolSize < 4 ? 1 : 2;
  const pipelined = { timeoutMs: placementTimeoutMs };
  return {
    pool: createPool({ ...connection, max: databasePoolSize - forOrders, log, name: 'mintrail api' }),
    placementPool: createPool({ ...connection, max: forOrders, log, name: 'mintrail api orders', pipelined }),
  };
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** On a port of their own, so that not everybody who calls the API can read them. */
async function openMetrics({ registry }: ApiMetrics, { metricsPort, host }: Settings, server: Server): Promise<Running | undefined> {
  try {
    return metricsPort === undefined ? undefined : await serveMetrics(registry, metricsPort, host);
  } catch (error) {
    server.close();
    throw error;
  }
}
