import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createApplication } from '../../src/ledger/access/applications.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { mailServer } from '../api/support/mails.ts';
import { createSandboxRun } from '../scenarios/sandbox-run.ts';
import { deployedProcesses } from '../support/processes/deployed-process.ts';
import { processTree } from '../support/processes/process-tree.ts';
import type { TestLedger } from '../support/test-ledger.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';

/** A service that runs, whose processes are measured. */
export interface Target {
  name: 'sandbox' | 'production';
  apiUrl: string;
  /** Origin of the pages in browsers. */
  origin: string;
  /** Only in the sandbox. */
  consoleUrl?: string;
  readersUrl?: string;
  application: { clientId: string; clientSecret: string };
  /** Its processes that run now. */
  pids(): number[];
  stop(): Promise<void>;
}

/** An API in production mode with its default limits, and a private application. Its PostgreSQL is shared with other tests, and not measured. */
export async function startProduction({ ledger, url }: TestLedger): Promise<Target> {
  const port = await freePort();
  const processes = deployedProcesses();
  await processes.start('the API', ['api'], {
    MINTRAIL_ENVIRONMENT: 'production',
    BASE_URL: 'https://money.example',
    DATABASE_URL: url,
    PORT: String(port),
    SECRETS_KEY: testSecretsKey,
    GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`,
    ...mailServer,
  });
  const application = await inTransaction(ledger, async (tx) => {
    const owner = await createUser(tx, { email: 'owner@money.example', name: 'Jane Owner', isVerified: true });
    await createProfile(tx, { kind: 'personal', name: 'Jane Owner', state: 'approved', owner });
    return createApplication(tx, { kind: 'private', name: 'Honest', owner });
  });
  return {
    name: 'production',
    apiUrl: `http://127.0.0.1:${port}`,
    origin: 'https://money.example',
    application: { clientId: application.id, clientSecret: application.secret },
    pids: () =>
      processTree(process.pid)
        .filter(({ command }) => / api *$/.test(command))
        .flatMap(({ pid }) => processTree(pid).map((below) => below.pid)),
    stop: () => processes.end(),
  };
}

/** A sandbox with one network, its console, and readers of its indexed rows. */
export async function startSandbox(): Promise<Target> {
  const run = await createSandboxRun(['--chain', 'chiado'], { INDEXER_PORT: String(await freePort()) });
  const file = await run.start();
  const { console, chains } = JSON.parse(readFileSync(path.join(run.dataDir, 'sandbox.json'), 'utf8')) as {
    console: { url: string };
    chains: { chiado: { indexerUrl: string } };
  };
  await until('readers are served', async () => (await fetch(`${chains.chiado.indexerUrl}/ready`).catch(() => undefined))?.ok || undefined);
  return {
    name: 'sandbox',
    apiUrl: file.apiUrl,
    origin: new URL(file.apiUrl).origin,
    consoleUrl: console.url,
    readersUrl: chains.chiado.indexerUrl,
    application: file.applications.private,
    pids: () => run.find(/./).map(({ pid }) => pid),
    async stop() {
      await run.stop();
      run.remove();
    },
  };
}
