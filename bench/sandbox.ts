import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { cliSettings } from '../src/cli/cli-settings.ts';
import { startSandboxProcess } from '../src/cli/sandbox/sandbox-process.ts';
import { type Client, createClient, linkMessage } from '../src/client/index.ts';
import { freePort } from '../src/platform/process/free-port.ts';
import { removePostgresHome } from '../src/platform/process/postgres-home.ts';
import { type ProcessFigures, processesBelow } from './processes.ts';

/** A sandbox with an IBAN that can receive money. */
export interface BenchSandbox {
  dataDir: string;
  client: Client;
  iban: string;
  pool: Pool;
  processes: () => ProcessFigures[];
  stop(): Promise<void>;
}

/** Starts a sandbox with empty data in a temporary folder. */
export async function startBenchSandbox(): Promise<BenchSandbox> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Started by root, the database runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const { file, pid, stop } = await startSandboxProcess({ dataDir, port: await freePort(), output: 'ignore' });
  const { databaseUrl } = cliSettings({ MINTRAIL_DATA_DIR: dataDir });
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
  await waitUntilReady(file.apiUrl);
  const iban = await openAccount(client, file.accounts[0]?.privateKey as `0x${string}`);
  const pool = new Pool({ connectionString: databaseUrl, options: '-c search_path=ledger', max: 2 });
  return {
    dataDir,
    client,
    iban,
    pool,
    processes: () => processesBelow(pid),
    async stop() {
      await pool.end();
      await stop();
      removePostgresHome(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits until the indexers are ready too, so that their start is not measured. */
async function waitUntilReady(apiUrl: string): Promise<void> {
  while (!(await fetch(`${apiUrl}/health/ready`)).ok) await delay(200);
}

/** Links an address on chiado and waits for its IBAN. */
async function openAccount(client: Client, privateKey: `0x${string}`): Promise<string> {
  const account = privateKeyToAccount(privateKey);
  const signature = await account.signMessage({ message: linkMessage });
  await client.post('/addresses', { body: { address: account.address, chain: 'chiado', message: linkMessage, signature } });
  await client.post('/ibans', { body: { address: account.address, chain: 'chiado' } });
  for (;;) {
    const { ibans } = await client.get('/ibans');
    if (ibans[0]?.state === 'approved') return ibans[0].iban;
    await delay(100);
  }
}
