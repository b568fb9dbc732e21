import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { comparisonNames } from '../../src/ledger/reserve/comparison.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { type NpmStart, npmRunDemo, npmStart, processesWith } from '../support/processes/npm-start.ts';
import { issuedElsewhere, linesOf, madeSecrets, named, personalData, readLogs, requestsOf, secretsOf } from './demo-logs.ts';
import { hasChromium } from '../support/chromium/chromium.ts';
import { processTree } from '../support/processes/process-tree.ts';
import { consoleOfSandbox, isWhole } from './console-actions/console-of-sandbox.ts';
import { patience } from '../support/patience.ts';
import { walkReadme } from './documented-tour.ts';

/** With what only a start has. */
type StartedFile = SandboxFile & { console: { url: string; link: string } };

const ready = 'Mintrail is ready';

const consoleAddress = {
  url: expect.stringMatching(/^http:\/\/localhost:\d+$/) as string,
  link: expect.stringMatching(/^http:\/\/localhost:\d+\/sign-in\/link#[\w-]{43}$/) as string,
};

const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-sandbox-'));
const started: NpmStart[] = [];
let port = 0;

const start = (args: string[] = [], variables: Record<string, string> = {}): NpmStart => {
  started.push(npmStart(dataDir, port, args, variables));
  return started.at(-1) as NpmStart;
};

const nothingLeft = () => vi.waitFor(() => expect(processesWith(dataDir)).toEqual([]), patience);

beforeAll(async () => {
  // Root's database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o711);
  port = await freePort();
});
afterAll(async () => {
  const last = started.at(-1)?.child;
  if (last?.exitCode === null) last.kill('SIGTERM');
  await nothingLeft();
  removePostgresHome(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

describe('npm run demo', () => {
  /** What the demo has printed. */
  let told = '';

  it('starts a sandbox, tells every story to its end, and leaves no process', async () => {
    const demo = npmRunDemo(dataDir, port);
    const code = await demo.ended;
    told = demo.output();
    expect(told).toContain('The demo is complete.');
    expect(code).toBe(0);
    expect(told.match(/^ {3}order .* is processed after/gm)).toHaveLength(12);
    expect(told.match(/^ {3}order .* is rejected after/gm)).toHaveLength(1);
    expect(told).toMatch(/answer {10}202/);
    expect(told).toMatch(/review {10}Anna Karlsson is approved/);
    expect(told).toMatch(/overview {8}You are verified\./);
    expect(told).toMatch(/committed {7}\S+ with nonce 1, valid until/);
    expect(told).toMatch(/balance {9}57\.\d+ usd by the API, 57\d+ token units by the chain/);
    expect(told).toMatch(
      /^ {3}event {11}order\.created +\S+ {2}\S+ {2}placed {2}12\.00 eur\n {3}event {11}order\.updated +\S+ {2}\S+ {2}processed {2}12\.00 eur$/m,
    );
    expect(told).toMatch(/came back {7}AC04 closed account number\n {3}order .* is processed after/);
    expect(told).toMatch(/waits {11}\S+: it may be the money of \S+: another message says the same of it/);
    expect(told).toMatch(/repeated {8}\S+ is the money of \S+/);
    expect(told).toMatch(/payment {9}returned.*AC04[\S\s]* {3}book {12}payment-came-back, booked on/);
    expect(told).toContain('The trial balance is zero in every currency.');
    expect([...told.matchAll(/^ {3}(states|index|nodes|bank) +(\d+) of \2 hold$/gm)].map(([, name]) => name)).toEqual(comparisonNames);
    await nothingLeft();
  });

  it('the logs of the whole demo hold no personal data and no secrets', () => {
    expect(personalData(told)).toEqual(expect.arrayContaining([expect.stringMatching(/^IS\d{24}$/), 'Karlsson']));
    const written = readLogs(dataDir);
    expect(written.map(([name]) => name)).toEqual(expect.arrayContaining(['api.log', 'worker.log', 'postgres.log']));
    expect(written.map(([, text]) => text).join('')).toContain('"path":"/orders"');
    for (const [name, text] of written) {
      expect([...personalData(text), ...(text.match(madeSecrets) ?? [])], name).toEqual([]);
      for (const secret of secretsOf(dataDir)) expect(text.includes(secret), `${name} holds a secret`).toBe(false);
    }
  });

  it('each request and each order of the demo is found in the logs of all processes that worked for it', () => {
    const requests = linesOf(dataDir, /^api\.log$/).filter(({ msg, status = 500 }) => msg === 'request' && status < 300);
    const worked = linesOf(dataDir, /^worker\.log$/);
    const worker = { chains: worked.filter(({ chain }) => chain !== undefined), common: worked.filter(({ chain }) => chain === undefined) };

    const expected: [request: string, msg: string, found: Set<string>][] = [
      ...['POST /orders', 'POST /sandbox/credits'].flatMap((request) =>
        ['transaction sent', 'transaction mined', 'legs settled'].map(
          (msg) => [request, msg, requestsOf(named(worker.chains, msg))] as [string, string, Set<string>],
        ),
      ),
      [
        'POST /orders',
        'payments handed to the bank',
        new Set([...requestsOf(named(worker.common, 'payments handed to the bank')), ...issuedElsewhere(dataDir)]),
      ],
      ['POST /ibans', 'IBAN assigned', requestsOf(named(worker.common, 'IBAN assigned'))],
      ['PATCH /profiles/{}/verifications', 'profile reviewed', requestsOf(named(worker.common, 'profile reviewed'))],
    ];
    const missing = expected.flatMap(([request, msg, found]) => {
      const ids = requests.filter(({ method, path = '' }) => `${method} ${path.replace(/[0-9a-f-]{36}/, '{}')}` === request);
      expect(ids, request).not.toEqual([]);
      return ids.flatMap(({ correlationId = '' }) => (found.has(correlationId) ? [] : [`${request} ${correlationId}: ${msg}`]));
    });
    expect(missing).toEqual([]);

    // The other way round: what a request caused names a request that the API has answered.
    const answered = requestsOf(linesOf(dataDir, /^api\.log$/));
    for (const [lines, msg] of [
      [worker.chains, 'transaction sent'],
      [worker.chains, 'signature decided'],
      [worker.common, 'event delivered'],
      [worker.common, 'mail sent'],
    ] as const) {
      const found = requestsOf(named(lines, msg));
      expect(found.size, msg).toBeGreaterThan(0);
      expect(
        [...found].filter((id) => !answered.has(id)),
        msg,
      ).toEqual([]);
    }

    const orders = [...told.matchAll(/^ {3}order +(\S+) is/gm)].map(([, id = '']) => id);
    const settled = new Set(named(worker.chains, 'legs settled').flatMap(({ orderIds = [] }) => orderIds));
    expect(orders.filter((id) => !settled.has(id))).toEqual([]);
  });
});

// That it goes on with its data when all of it was killed is a shot of test/faults/campaigns.scenario.test.ts.
describe('npm start', () => {
  let first: StartedFile;

  const sandboxFile = () => JSON.parse(readFileSync(path.join(dataDir, 'sandbox.json'), 'utf8')) as StartedFile;

  it('writes down what a client needs, for this user only', () => {
    first = sandboxFile();
    expect(statSync(path.join(dataDir, 'sandbox.json')).mode & 0o777).toBe(0o600);
    const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string;
    const tokens = { eur: address, usd: address, gbp: address, isk: address };
    const credentials = { clientId: expect.any(String) as string, clientSecret: expect.any(String) as string };
    const rpcUrl = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(first).toEqual({
      apiUrl: `http://localhost:${port}`,
      console: consoleAddress,
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

  it('names the remedy when a chain has lost its state and the ledger has not', async () => {
    for (const name of ['state.json', 'state.json.gz']) rmSync(path.join(dataDir, 'chains', 'chiado', name));
    const run = start();
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/do not belong together: the chain chiado .* `npm start -- --fresh`/);
    await nothingLeft();
  });

  it('starts from nothing with --fresh, and says how to go on', async () => {
    const run = start(['--fresh', '--chain', 'chiado'], { FOUR_EYES: 'yes' });
    await run.says('starts with empty data');
    const { apiUrl, applications } = sandboxFile();
    expect(run.output()).toContain(ready);
    expect(run.output()).toContain(`http://localhost:${port}/docs`);
    expect(run.output()).toContain(applications.private.clientId);
    expect((await fetch(`${apiUrl}/health/ready`)).status).toBe(200);
    expect(applications.private).not.toEqual(first.applications.private);
    expect(await accessToken(first)).toBe(400);
  });

  it('is alone in its folder, and restarts what dies', async () => {
    const run = started.at(-1) as NpmStart;
    const second = npmStart(dataDir, await freePort());
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain('Another sandbox');
    const postgres = processesWith(path.join(dataDir, 'postgres')).find(({ command }) => command.includes('bin/postgres -D'));
    process.kill(postgres?.pid ?? 0, 'SIGKILL');
    await run.says('postgres ended (SIGKILL)');
    await vi.waitFor(async () => expect(await accessToken(sandboxFile())).toBe(200), patience);
  });

  it('takes a newcomer through the tour of the README, word by word', () => walkReadme(dataDir));

  describe.runIf(hasChromium && !isWhole)('has a console, which', () => {
    consoleOfSandbox(async () => {
      const { pid = 0 } = (started.at(-1) as NpmStart).child;
      const find = (command: RegExp) =>
        processTree(pid)
          .filter((one) => command.test(one.command))
          .flatMap((one) => processTree(one.pid));
      return { dataDir, file: sandboxFile(), find };
    });
  });

  it('ends in order when only npm is killed', async () => {
    // Its script notices.
    started.at(-1)?.child.kill('SIGKILL');
    await nothingLeft();
    expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
  });
});

async function accessToken({ apiUrl, applications }: SandboxFile): Promise<number> {
  const { clientId, clientSecret } = applications.private;
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const answer = await fetch(`${apiUrl}/auth/token`, { method: 'POST', body, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  return answer?.status ?? 0;
}
