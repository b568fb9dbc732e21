import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { type PrivateKeyAccount, generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ApiDependencies } from '../../../src/api/api.ts';
import { createApp } from '../../../src/api/app.ts';
import { createApiMetrics } from '../../../src/api/service/metrics.ts';
import { linkMessage } from '../../../client/messages.ts';
import type { ApplicationKind } from '../../../src/ledger/access/applications/application-kinds.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { createProxyWatch } from '../../../src/api/proxy-watch.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { createRedemptionPlacement } from '../../../src/ledger/orders/placement/place-redemptions.ts';
import { createUser, setDefaultProfile } from '../../../src/ledger/access/users.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { tokenUnits } from '../../../src/platform/money.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { openFileStorage } from '../../../src/platform/storage.ts';
import { createDeliverer } from '../../../src/webhooks/deliverer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestHoldings } from '../../support/test-holdings.ts';
import { testSealer, testSecretsKey } from '../../support/test-sealer.ts';
import { createContractAccounts } from '../orders/contract-accounts.ts';
import { expectDocumented } from './expect-documented.ts';

export { linkMessage };
export const eurToken = '0xcb444e90d8198415266c6a2724b7900fb12fc56e';

/** The facade over a database of its own, unless another's is given, with two configured networks. */
export async function createTestApi(overrides: Partial<ApiDependencies> & { env?: Record<string, string>; database?: TestDatabase } = {}) {
  const database = overrides.database ?? (await createTestDatabase());
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-api-'));
  const settings = loadSettings({
    MINTRAIL_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    MINTRAIL_ENVIRONMENT: 'sandbox',
    SECRETS_KEY: testSecretsKey,
    CHIADO_TOKENS: `eur:${eurToken},gbp:0x5cb9073902f2035222b9749f8fb0c9bfe5527108`,
    BASESEPOLIA_TOKENS: `eur:0x29cc7d5ecfbb63ec1ea4d5a0ab0e6ec1a2b7a0f0`,
    ...overrides.env,
  });
  const pool = createPool({ connectionString: database.url });
  const placementPool = createPool({ connectionString: database.url, max: 2, pipelined: { timeoutMs: 15_000 } });
  const woken: string[] = [];
  const ledger: Ledger = createLedger(
    pool,
    {
      wake(queue) {
        woken.push(queue);
        accounts.wake(queue);
      },
    },
    settings.quotas,
  );
  const accounts = createContractAccounts(ledger);
  const funds = new Map<string, bigint>();
  const burnt = new Set<string>();
  const readHoldings = createTestHoldings((...asked) => deps.readBalances(...asked), burnt);
  const deps: ApiDependencies = {
    settings,
    ledger,
    pool,
    log: createLog('silent'),
    readBalances: async (chain, address, currencies) =>
      Object.fromEntries(currencies.map((currency) => [currency, tokenUnits(funds.get(`${chain} ${address} ${currency}`) ?? 0n)])),
    readOpening: async () => tokenUnits(0n),
    readHoldings,
    placeRedemption: createRedemptionPlacement({ ledger, pool: placementPool, readHoldings }),
    payoutOutage: async () => undefined,
    sealer: testSealer,
    deliver: createDeliverer({ environment: settings.environment, timeoutMs: 3_000 }),
    proxies: createProxyWatch(settings.trustedProxies, createLog('silent')),
    files: await openFileStorage({ ...settings, dataDir }),
    closing: new AbortController().signal,
    metrics: createApiMetrics(),
    ...overrides,
  };
  const app = createApp(deps);

  let request = (to: string, init: RequestInit): Response | Promise<Response> => app.request(to, init);

  /** Sends a request and checks that the answer is one that the OpenAPI document describes. */
  const send = async (
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer<ArrayBuffer> } = {},
  ) => {
    const response = await request(path, { method, headers, ...(body === undefined ? {} : { body }) });
    // A stream has no end that could be waited for.
    const isStream = response.headers.get('Content-Type') === 'text/event-stream';
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.clone().text();
    if (response.headers.get('Content-Type')?.startsWith('application/json'))
      expectDocumented(app, method, path, response.status, JSON.parse(text));
    // oxlint-disable-next-line typescript/no-explicit-any -- what an answer contains is for each test to say
    return { status: response.status, headers: response.headers, text, json: (text === '' ? undefined : tryJson(text)) as any };
  };

  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send('POST', '/auth/token', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  /** An application of a new user with an approved profile, and an access token for it. */
  const partner = async (kind: ApplicationKind = 'private') => {
    const user = await createUser(ledger, { email: `${randomBytes(6).toString('hex')}@example.com`, name: 'Jane Doe' });
    const profile = await createProfile(ledger, { kind: 'personal', name: 'Jane Doe', state: 'approved', owner: user });
    await setDefaultProfile(ledger, user, profile);
    const { id: clientId, secret } = await createApplication(ledger, { kind, name: 'Shop', owner: user });
    const tokens = (await form({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })).json;
    const headers = { Authorization: `Bearer ${tokens?.access_token}` };
    return {
      user,
      profile,
      clientId,
      secret,
      tokens,
      headers,
      get: (path: string) => send('GET', path, { headers }),
      post: (path: string, body: unknown) => sendJson('POST', path, body),
      patch: (path: string, body: unknown) => sendJson('PATCH', path, body),
      async link(account: PrivateKeyAccount = createWallet(), chain = 'chiado') {
        const answer = await sendJson('POST', '/addresses', await linkBody(account, chain));
        expect(answer.status).toBe(201);
        return account;
      },
    };
    function sendJson(method: string, path: string, body: unknown) {
      return send(method, path, { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    }
  };

  return {
    database,
    app,
    deps,
    ledger,
    pool,
    placementPool,
    woken,
    dataDir,
    /** The contract accounts on every network, and what they say of signatures. */
    accounts,
    /** Orders that the token contract has burnt, as the indexer would show them. */
    burnt,
    /** Gives an address tokens, as the indexer would show them. */
    fund(address: string, amount: bigint, currency = 'eur', chain = 'chiado') {
      funds.set(`${chain} ${address.toLowerCase()} ${currency}`, amount * 10n ** 18n);
    },
    send,
    form,
    partner,
    request: (to: string, init: RequestInit) => request(to, init),
    /** From now on requests are sent by another way than straight into the application. */
    sendBy: (other: typeof request) => void (request = other),
    async close() {
      await accounts.settled();
      await Promise.all([pool.end(), placementPool.end()]);
      if (!overrides.database) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type TestApi = Awaited<ReturnType<typeof createTestApi>>;
export type Partner = Awaited<ReturnType<TestApi['partner']>>;

export function createWallet(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

export async function linkBody(account: PrivateKeyAccount, chain = 'chiado') {
  return { address: account.address, chain, signature: await account.signMessage({ message: linkMessage }) };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
