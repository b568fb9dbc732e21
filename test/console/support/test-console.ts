import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { createConsole } from '../../../src/console/app.ts';
import { createConsoleMetrics } from '../../../src/console/run-console.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { addOperator } from '../../../src/ledger/operators/operators.ts';
import { createSession } from '../../../src/ledger/access/sessions.ts';
import { operatorSubject } from '../../../src/ledger/access/subject.ts';
import type { OperatorRole } from '../../../src/schema/states.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { openFileStorage } from '../../../src/platform/storage.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testSealer, testSecretsKey } from '../../support/test-sealer.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

type Options = Parameters<typeof createTestConsole>[0];

/** A console of {@link createTestConsole} for all tests of a file, from its first hook to its last. */
export function useTestConsole(options?: Options): TestConsole {
  return forWholeFile(() => createTestConsole(options));
}

/**
 * The console without a socket, over a database of its own unless it is given the `url` of one. `env` are further settings, such as `FOUR_EYES`; `bundle`
 * is the folder of the built pages.
 */
export async function createTestConsole({ env = {}, bundle, url }: { env?: Record<string, string>; bundle?: string; url?: string } = {}) {
  const database = url === undefined ? await createTestDatabase() : { url, drop: async () => {} };
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-console-'));
  const settings = loadSettings({
    MINTRAIL_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    MINTRAIL_ENVIRONMENT: 'sandbox',
    SECRETS_KEY: testSecretsKey,
    ...env,
  });
  const pool = createPool({ connectionString: database.url });
  const woken: string[] = [];
  const ledger = createLedger(pool, { wake: (queue) => void woken.push(queue) }, settings.quotas);
  const closing = new AbortController();
  const files = await openFileStorage(settings);
  const deps = {
    settings,
    ledger,
    pool,
    log: createLog('silent'),
    sealer: testSealer,
    files,
    metrics: createConsoleMetrics(),
    bundle: bundle ?? path.join(dataDir, 'bundle'),
  };
  const app = createConsole({ ...deps, closing: closing.signal });

  /** Sends a request as a page of the console does. */
  const send = async (method: string, to: string, { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {}) => {
    const ofPage = { Host: 'localhost:3010', 'Sec-Fetch-Site': 'same-origin', Origin: 'http://localhost:3010' };
    const ofBody = method === 'GET' ? {} : { 'Content-Type': 'application/json' };
    const response = await app.request(`http://localhost:3010${to}`, {
      method,
      headers: { ...ofPage, ...ofBody, ...headers },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };

  /** A new operator of a role, who is signed in. */
  const signedIn = async (role: OperatorRole, name = `${role}-${Math.random().toString(36).slice(2, 8)}`) => {
    await addOperator(ledger, { name, role });
    const source = { browser: 'Firefox on Linux', network: '127.0.0.1' };
    const secret = await createSession(ledger, operatorSubject(name), source);
    const headers = { Cookie: `console-${settings.consolePort}=${secret}` };
    const get = (to: string) => send('GET', to, { headers });
    const post = (to: string, body?: unknown) => send('POST', to, { headers, body });
    return {
      name,
      secret,
      get,
      post,
      /** Asks for an action. */
      act: (action: string, input: unknown) => post(`/api/actions/${action}`, input),
      /** Decides on an approval, as it reads now. */
      decide: async (approval: string, decision: 'approve' | 'refuse' = 'approve') =>
        post(`/api/approvals/${approval}/${decision}`, { digest: (await get(`/api/approvals/${approval}`)).json.digest }),
    };
  };

  return {
    app,
    deps,
    ledger,
    pool,
    woken,
    dataDir,
    send,
    signedIn,
    /** Runs `during` while the database takes no connection. */
    async outage(during: () => Promise<void>) {
      const url = new URL(database.url);
      const name = url.pathname.slice(1);
      url.pathname = '/postgres';
      const administrator = new Client({ connectionString: url.href });
      await administrator.connect();
      await administrator.query(`alter database ${name} with allow_connections false`);
      await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      try {
        await during();
      } finally {
        await administrator.query(`alter database ${name} with allow_connections true`);
        await administrator.end();
      }
    },
    async close() {
      closing.abort();
      await pool.end();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type TestConsole = Awaited<ReturnType<typeof createTestConsole>>;

/** A person who is signed in to it. */
export type TestOperator = Awaited<ReturnType<TestConsole['signedIn']>>;
