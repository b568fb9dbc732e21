import type { Api } from '../src/api/api.ts';
import { createApp } from '../src/api/app.ts';
import { createApiMetrics } from '../src/api/service/metrics.ts';
import { createLedger } from '../src/ledger/ledger.ts';
import { wakesNobody } from '../src/ledger/wake-ups.ts';
import { chains } from '../src/platform/chains.ts';
import { createPool } from '../src/platform/database.ts';
import { createLog } from '../src/platform/log.ts';
import { generateSecretsKey, openSealer } from '../src/platform/sealing.ts';
import { createProxyWatch } from '../src/api/proxy-watch.ts';
import { tokenUnits } from '../src/platform/money.ts';
import { loadSettings, networkVariable } from '../src/platform/settings.ts';
import { openFileStorage } from '../src/platform/storage.ts';
import { createDeliverer } from '../src/webhooks/deliverer.ts';

/** An OpenAPI document, as far as scripts and tests read it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

/** The document of {@link createWholeApi}. */
export async function readDocument(): Promise<OpenApiDocument> {
  const api = await createWholeApi();
  return (await (await api.request('/openapi.json')).json()) as OpenApiDocument;
}

/** The API of a sandbox with every chain, so that it has every endpoint and every name. Connects to nothing. */
export async function createWholeApi(): Promise<Api> {
  const tokens = `eur:0x${'0'.repeat(39)}1`;
  const settings = loadSettings({
    DATABASE_URL: 'postgres://nowhere',
    MINTRAIL_ENVIRONMENT: 'sandbox',
    ...Object.fromEntries(chains.map((chain) => [networkVariable(chain, 'tokens'), tokens])),
  });
  const pool = createPool({ connectionString: settings.databaseUrl });
  return createApp({
    settings,
    pool,
    ledger: createLedger(pool, wakesNobody),
    log: createLog('silent'),
    readBalances: () => Promise.resolve({}),
    readOpening: () => Promise.resolve(tokenUnits(0n)),
    readHoldings: () => Promise.resolve([]),
    placeRedemption: () => Promise.reject(new Error('The document is made without a database')),
    payoutOutage: () => Promise.resolve(undefined),
    proxies: createProxyWatch(settings.trustedProxies, createLog('silent')),
    sealer: openSealer({ secretsKey: generateSecretsKey(), secretsKeysOld: '' }),
    deliver: createDeliverer({ environment: 'sandbox' }),
    files: await openFileStorage(settings),
    closing: new AbortController().signal,
    metrics: createApiMetrics(),
  });
}
