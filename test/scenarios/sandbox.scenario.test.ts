import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../src/platform/process/postgres-home.ts';
import { type NpmStart, npmStart, processesWith } from '../support/processes/npm-start.ts';

interface SandboxFile {
  apiUrl: string;
  console: { url: string; link: string };
  profile: string;
  applications: Record<'private' | 'whitelabel', { clientId: string; clientSecret: string }>;
  chains: Record<string, { chainId: number; rpcUrl: string; tokens: Record<string, string> }>;
  swap: { chain: string; settlement: string; maker: string };
  accounts: { address: string; privateKey: string }[];
}

const ready = 'Mintrail is ready';

const consoleOfSandbox = {
  url: expect.stringMatching(/^http:\/\/localhost:\d+$/) as string,
  link: expect.stringMatching(/^http:\/\/localhost:\d+\/sign-in\/link#[\w-]{43}$/) as string,
};

/** The promise to the user. A loaded test machine is given the double before the test fails. */
const readySeconds = 30;

describe('npm start', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-sandbox-'));
  const started: NpmStart[] = [];
  let port = 0;
  let first: SandboxFile;

  beforeAll(async () => {
    // Root's database runs as another user, who must be able to enter.
    chmodSync(dataDir, 0o711);
    port = await freePort();
  });
  afterAll(async () => {
    const last = started.at(-1)?.child;
    if (last?.exitCode === null) last.kill('SIGTERM');
    await vi.waitFor(() => expect(processesWith(dataDir)).toEqual([]), { timeout: 30_000 });
    removePostgresHome(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (...args: string[]): NpmStart => {
    started.push(npmStart(dataDir, port, args));
    return started.at(-1) as NpmStart;
  };
  const nothingLeft = () => vi.waitFor(() => expect(processesWith(dataDir)).toEqual([]), { timeout: 20_000, interval: 100 });
  const sandboxFile = () => JSON.parse(readFileSync(path.join(dataDir, 'sandbox.json'), 'utf8')) as SandboxFile;

  it('is ready soon, and says how to go on', async () => {
    const begun = Date.now();
    const run = start();
    await run.says('starts with empty data');
    expect(Date.now() - begun).toBeLessThan(readySeconds * 2_000);
    first = sandboxFile();
    expect(run.output()).toContain(`http://localhost:${port}/docs`);
    expect(run.output()).toContain(first.applications.private.clientId);
    expect((await fetch(`${first.apiUrl}/health/ready`)).status).toBe(200);
    await ctrlC(run);
    expect(run.output()).toMatch(/\nStopped\.\n$/);
    await nothingLeft();
  });

  it('writes down what a client needs, for this user only', () => {
    expect(statSync(path.join(dataDir, 'sandbox.json')).mode & 0o777).toBe(0o600);
    const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string;
    const tokens = { eur: address, usd: address, gbp: address, isk: address };
    const credentials = { clientId: expect.any(String) as string, clientSecret: expect.any(String) as string };
    const rpcUrl = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(first).toEqual({
      apiUrl: `http://localhost:${port}`,
      console: consoleOfSandbox,
      profile: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      applications: { private: credentials, whitelabel: credentials },
      chains: {
        chiado: { chainId: 10_200, rpcUrl, tokens },
        sepolia: { chainId: 11_155_111, rpcUrl, tokens },
        arbitrumsepolia: { chainId: 421_614, rpcUrl, tokens },
      },
      swap: { chain: 'arbitrumsepolia', settlement: address, maker: address },
      accounts: expect.any(Array) as [],
    });
    expect(first.accounts.length).toBeGreaterThan(3);
    expect(first.accounts[0]).toEqual({ address, privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string });
  });

  it('goes on with the same data and the same chains', async () => {
    const run = start();
    await run.says('starts with empty data');
    // The link is of this start alone.
    expect(sandboxFile()).toEqual({ ...first, console: consoleOfSandbox });
    expect(await accessToken(first)).toBe(200);
    expect(await rpc(first, 'eth_blockNumber')).toMatch(/^0x[1-9a-f]/);
  });

  it('is alone in its folder, and restarts what dies', async () => {
    const run = started.at(-1) as NpmStart;
    const second = npmStart(dataDir, await freePort());
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain('(data_dir_in_use)');
    const postgres = processesWith(path.join(dataDir, 'postgres')).find(({ command }) => command.includes('bin/postgres -D'));
    process.kill(postgres?.pid ?? 0, 'SIGKILL');
    await run.says('postgres ended (SIGKILL)');
    await vi.waitFor(async () => expect(await accessToken(first)).toBe(200), { timeout: 20_000, interval: 200 });
  });

  // That it goes on with its data after that is tested by credits-under-fire.scenario.test.ts.
  it('leaves no process when it is killed', async () => {
    const run = started.at(-1) as NpmStart;
    // npm, its shell and the script are in one process group; the service itself finds out.
    process.kill(-(run.child.pid ?? 0), 'SIGKILL');
    await nothingLeft();
  });

  it('names the remedy when a chain has lost its state and the ledger has not', async () => {
    for (const name of ['state.json', 'state.json.gz']) rmSync(path.join(dataDir, 'chains', 'chiado', name));
    const run = start();
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/do not belong together: the chain chiado .* `npm start -- --fresh`/);
    await nothingLeft();
  });

  it('starts from nothing with --fresh, and ends in order when only npm is killed', async () => {
    const run = start('--fresh');
    await run.says(ready);
    expect(sandboxFile().applications.private).not.toEqual(first.applications.private);
    expect(await accessToken(first)).toBe(400);
    // Only npm is killed: its script notices, and all ends in order.
    run.child.kill('SIGKILL');
    await nothingLeft();
    expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
  });
});

/** The terminal sends it to the whole foreground group. */
async function ctrlC({ child, ended }: NpmStart): Promise<void> {
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
}

async function accessToken({ apiUrl, applications }: SandboxFile): Promise<number> {
  const { clientId, clientSecret } = applications.private;
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const answer = await fetch(`${apiUrl}/auth/token`, { method: 'POST', body, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  return answer?.status ?? 0;
}

async function rpc({ chains }: SandboxFile, method: string): Promise<string> {
  const answer = await fetch(chains['chiado']?.rpcUrl ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  });
  return ((await answer.json()) as { result: string }).result;
}
