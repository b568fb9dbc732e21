import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, paymentMessage } from '../../src/client/index.ts';
import { createApplication } from '../../src/ledger/access/applications.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';

const project = path.resolve('.');
const { commit } = JSON.parse(readFileSync('test/upgrades/previous-release.json', 'utf8')) as { commit: string };
const chain = 'chiado';
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const payee = { standard: 'iban', iban: 'DE89370400440532013000' } as const;

/** Only a clone with its history has the source of the previous release. */
const hasPrevious = isInHistory();
if (!hasPrevious)
  console.warn(`The clone is shallow: the commit ${commit} of the previous release is not in it, and its processes are not run.`);

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let customer: TestCustomer;
let application: { clientId: string; clientSecret: string };
let previous: string;
const running = new Set<ChildProcess>();
let printed = '';

beforeAll(async () => {
  if (!hasPrevious) return;
  previous = unpackPrevious();
  database = await createTestDatabase();
  network = await startTestNetwork({ databaseUrl: database.url, chain });
  ledger = createLedger(createPool({ connectionString: database.url, max: 2 }), wakesNobody);
  customer = await createCustomer(ledger, chain);
  const { id, secret } = await createApplication(ledger, { kind: 'private', name: 'Treasury', owner: customer.user });
  application = { clientId: id, clientSecret: secret };
});
afterAll(async () => {
  await Promise.all([...running].map(stop));
  await ledger?.destroy();
  await network?.stop();
  await database?.drop();
  if (previous) rmSync(previous, { recursive: true, force: true });
});

function isInHistory(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The previous release beside this one, with the same packages. */
function unpackPrevious(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-previous-'));
  const archive = execFileSync(
    'git',
    ['archive', commit, 'src', 'indexer', 'abis', 'docs', 'package.json', 'ponder.config.ts', 'tsconfig.json'],
    {
      maxBuffer: 100_000_000,
    },
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

function start(release: string, args: string[], variables: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [path.join(release, 'src/cli/mintrail.mjs'), ...args], {
    cwd: release,
    env: { PATH: process.env['PATH'], ...network.env, LOG_LEVEL: 'warn', BANK_RAIL: 'sandbox', SECRETS_KEY: testSecretsKey, ...variables },
  });
  running.add(child);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  await ended;
}

async function startApi(release: string): Promise<{ process: ChildProcess; client: Client }> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const process = start(release, ['api'], { PORT: String(port), BASE_URL: baseUrl });
  await until('the API answers', async () => (await fetch(`${baseUrl}/health/live`).catch(() => undefined))?.ok || undefined);
  return { process, client: createClient({ baseUrl, ...application }) };
}

/** Money comes in and goes out by an API. Ends when both orders are processed, on the chain and at the bank. */
async function receiveAndSend(client: Client): Promise<void> {
  const { address, iban, privateKey } = customer;
  const credit = await client.post('/sandbox/credits', { body: { iban, amount: '10.00', currency: 'eur', payer } });
  await processed(client, credit.order?.id);
  const payment = { kind: 'redeem', address, chain, currency: 'eur', amount: '4.00' } as const;
  const message = paymentMessage({ ...payment, to: payee });
  const signature = await privateKeyToAccount(privateKey).signMessage({ message });
  const counterpart = { identifier: payee, details: { name: 'Max Mustermann', country: 'DE' } };
  const placed = await client.post('/orders', { body: { ...payment, counterpart, message, signature } });
  await processed(client, 'id' in placed ? placed.id : undefined);
}

async function processed(client: Client, orderId = ''): Promise<void> {
  await until(`the order ${orderId} is processed: ${printed}`, async () => {
    const { state } = await client.get('/orders/{orderId}', { path: { orderId } });
    return state === 'processed' || undefined;
  });
}

describe.runIf(hasPrevious)('an upgrade without downtime', () => {
  it('the processes of the previous release work with the new tables, alone and beside the new ones, which then go on alone', async () => {
    const worker = ['worker', '--common', '--chain', chain];
    start(previous, ['indexer', '--chain', chain]);
    const oldWorker = start(previous, worker);
    const old = await startApi(previous);
    await receiveAndSend(old.client);

    const current = await startApi(project);
    start(project, worker);
    await Promise.all([receiveAndSend(old.client), receiveAndSend(current.client)]);

    await Promise.all([stop(old.process), stop(oldWorker)]);
    await receiveAndSend(current.client);
    const { balances } = await current.client.get('/balances/{chain}/{address}', { path: { chain, address: customer.address } });
    expect(balances).toEqual([{ currency: 'eur', amount: '24.00' }]);
    // Problems of `mintrail status` depend on how quick the machine is; an error of a statement does not.
    expect(printed.split('\n').filter((line) => /"level":[56]0/.test(line) && !line.includes('"problem"'))).toEqual([]);
  }, 300_000);
});
