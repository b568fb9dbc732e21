import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { cliSettings } from '../src/cli/cli-settings.ts';
import type { SandboxFile } from '../src/cli/running-sandbox.ts';
import { type Client, createClient, linkMessage } from '../client/index.ts';
import { freePort } from '../src/platform/process/free-port.ts';
import { guard } from '../src/platform/process/guarded-process.ts';
import { removePostgresHome } from '../sandbox/postgres/postgres-home.ts';
import { type ProcessFigures, processesBelow } from './processes.ts';
import type { Results } from './figures.ts';

/** The chain on which everything is measured. */
export const benchChain = 'chiado';

/** A sandbox with an IBAN that can receive money. */
export interface BenchSandbox {
  dataDir: string;
  file: SandboxFile;
  client: Client;
  /** Access tokens of the customer and of the partner, for requests that go past the client. */
  token: string;
  partnerToken: string;
  iban: string;
  pool: Pool;
  rpcUrl: string;
  processes: () => ProcessFigures[];
  stop(): Promise<void>;
}

/** Chains that have grown write a hundred megabytes when they end. */
const stopTimeoutMs = 60_000;

const project = path.resolve(import.meta.dirname, '..');

/**
 * Starts a sandbox with empty data in a temporary folder by `npm start`, stops it and starts it again, and records how long both take. The first start
 * compiles everything anew, as after an installation.
 */
export async function startBenchSandbox(results: Results): Promise<BenchSandbox> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-bench-'));
  // Started by root, the database runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const port = await freePort();
  const remove = (): void => {
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const first = await npmStart(dataDir, port);
    results.record('startFirst', first.seconds);
    await first.stop();
    const second = await npmStart(dataDir, port);
    results.record('startAgain', second.seconds);
    return await openSandbox(dataDir, second, remove).catch(async (error: unknown) => {
      await second.stop();
      throw error;
    });
  } catch (error) {
    remove();
    throw error;
  }
}

interface NpmStart {
  pid: number;
  /** From the command to the banner. */
  seconds: number;
  stop: () => Promise<void>;
}

/** Runs `npm start` until it says that it is ready, the indexers too, so that their start is not measured. */
async function npmStart(dataDir: string, port: number): Promise<NpmStart> {
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: project,
    env: { ...process.env, MINTRAIL_DATA_DIR: dataDir, PORT: String(port), NODE_COMPILE_CACHE: path.join(dataDir, 'compiled') },
    // A group of its own, to which the signal goes as Ctrl-C does in a terminal.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid = 0 } = child;
  // A benchmark that is interrupted leaves no sandbox behind.
  const release = guard(pid, 'SIGINT', stopTimeoutMs);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve())).finally(release);
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
      if (output.includes('Mintrail is ready')) resolve();
    });
    void ended.then(() => reject(new Error(`npm start ended:\n${output}`)));
  });
  return {
    pid,
    seconds: (performance.now() - startedAt) / 1_000,
    async stop() {
      process.kill(-pid, 'SIGINT');
      await ended;
    },
  };
}

async function openSandbox(dataDir: string, { pid, stop }: NpmStart, remove: () => void): Promise<BenchSandbox> {
  const file = JSON.parse(readFileSync(path.join(dataDir, 'sandbox.json'), 'utf8')) as SandboxFile;
  const { databaseUrl } = cliSettings({ MINTRAIL_DATA_DIR: dataDir });
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
  const iban = await openAccount(client, file.accounts[0]?.privateKey as `0x${string}`);
  const pool = new Pool({ connectionString: databaseUrl, options: '-c search_path=ledger', max: 2 });
  return {
    dataDir,
    file,
    client,
    token: await accessToken(file, 'private'),
    partnerToken: await accessToken(file, 'whitelabel'),
    iban,
    pool,
    rpcUrl: file.chains[benchChain]?.rpcUrl ?? '',
    processes: () => processesBelow(pid),
    async stop() {
      await pool.end();
      await stop();
      remove();
    },
  };
}

async function accessToken({ apiUrl, applications }: SandboxFile, application: 'private' | 'whitelabel'): Promise<string> {
  const { clientId, clientSecret } = applications[application];
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const response = await fetch(`${apiUrl}/auth/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Links an address and waits for its IBAN. */
async function openAccount(client: Client, privateKey: `0x${string}`): Promise<string> {
  const account = privateKeyToAccount(privateKey);
  const signature = await account.signMessage({ message: linkMessage });
  await client.post('/addresses', { body: { address: account.address, chain: benchChain, message: linkMessage, signature } });
  await client.post('/ibans', { body: { address: account.address, chain: benchChain } });
  for (;;) {
    const { ibans } = await client.get('/ibans');
    if (ibans[0]?.state === 'approved') return ibans[0].iban;
    await delay(100);
  }
}
