import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isValidIBAN } from 'ibantools';
import { afterAll, expect, it } from 'vitest';
import type { Instance } from '../../src/cli/sandbox/instance.ts';
import { comparisonNames } from '../../src/ledger/reserve/comparison.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { removePostgresHome } from '../../src/platform/process/postgres-home.ts';
import { processesWith } from '../support/processes/npm-start.ts';
import { until } from '../support/until.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-demo-'));
// Root's database runs as another user, who must be able to enter.
chmodSync(dataDir, 0o711);

afterAll(() => {
  removePostgresHome(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

/** What the demo has printed. */
let told = '';

it('npm run demo starts a sandbox, tells every story to its end, and leaves no process', async () => {
  const port = String(await freePort());
  const { BASE_URL: _, NODE_ENV: __, ...shell } = process.env;
  const child = spawn('npm', ['run', 'demo'], {
    cwd: project,
    env: { ...shell, MINTRAIL_DATA_DIR: dataDir, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
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
  expect(told).toMatch(/waits {11}\S+: it may be the money of \S+, which has the EndToEndId/);
  expect(told).toMatch(/payment {9}came back: .*AC04[\S\s]* {3}book {12}payment-came-back, booked on/);
  expect(told).toContain('The trial balance is zero in every currency.');
  expect([...told.matchAll(/^ {3}(states|index|nodes|bank) +(\d+) of \2 hold$/gm)].map(([, name]) => name)).toEqual(comparisonNames);
  await until('nothing of it is left', async () => (processesWith(dataDir).length === 0 ? true : undefined), 30);
});

/** All that the processes of the sandbox logged, by the name of the file. */
function logs(): [string, string][] {
  const folder = path.join(dataDir, 'logs');
  return readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);
}

const fileText = (name: string) => readFileSync(path.join(dataDir, name), 'utf8').trim();

/** The secrets of this sandbox: the key that seals, the words of its accounts, the keys of signers, and what its applications authenticate with. */
function secrets(): string[] {
  const { mnemonic, application, partner, maker } = JSON.parse(fileText('instance.json')) as Instance;
  const keys = [...fileText('environment.json').matchAll(/0x[0-9a-f]{64}/g)].map(([key]) => key.slice(2));
  const credentials = [application, partner, maker].map((one) => one?.clientSecret ?? '');
  return [
    fileText('secrets.key'),
    mnemonic,
    ...keys.filter((key) => !fileText('sandbox.json').includes(`"genesis": "0x${key}`)),
    ...credentials,
  ];
}

/** What is known of persons in a text: IBANs, and the names, streets and e-mail addresses of the sandbox and the demo. */
function personalData(text: string): string[] {
  const accounts = [...text.matchAll(/(?<![A-Za-z0-9])[A-Z]{2}\d{2}[A-Z0-9]{11,30}/g)]
    .map(([account]) => account)
    .filter((account) => isValidIBAN(account));
  return [...accounts, ...(text.match(/Karlsson|Jónsson|Laugavegur|1990-02-28|Demo User|Market Maker|[\w.+-]+@[\w-]+\.[a-z]+/g) ?? [])];
}

const credentials = /whsec_[A-Za-z0-9+/]{8}|Bearer \S{8}|"(access|refresh)_token"/g;

it('the logs of the whole demo hold no personal data and no secrets', () => {
  expect(personalData(told)).toEqual(expect.arrayContaining([expect.stringMatching(/^IS\d{24}$/), 'Karlsson']));
  const written = logs();
  expect(written.map(([name]) => name)).toEqual(expect.arrayContaining(['api.log', 'worker.log', 'postgres.log']));
  expect(written.map(([, text]) => text).join('')).toContain('"path":"/orders"');
  for (const [name, text] of written) {
    expect([...personalData(text), ...(text.match(credentials) ?? [])], name).toEqual([]);
    for (const secret of secrets()) expect(text.includes(secret), `${name} holds a secret`).toBe(false);
  }
});

/** A line of a process, as far as it names requests and orders. */
interface LogLine {
  msg: string;
  /** In lines of a network's worker. */
  chain?: string;
  correlationId?: string;
  correlationIds?: string[];
  orderId?: string;
  orderIds?: string[];
  method?: string;
  path?: string;
  status?: number;
}

/** The lines of the processes whose log has a name like this. */
function linesOf(name: RegExp): LogLine[] {
  const lines = logs().flatMap(([file, text]) => (name.test(file) ? text.split('\n') : []));
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
}

/** The correlation ids that lines name; `none` for a line that names none. */
const requestsOf = (lines: LogLine[]) => new Set(lines.flatMap((line) => line.correlationIds ?? line.correlationId ?? 'none'));

const named = (lines: LogLine[], msg: string) => lines.filter((line) => line.msg === msg);

it('each request and each order of the demo is found in the logs of all processes that worked for it', () => {
  const requests = linesOf(/^api\.log$/).filter(({ msg, status = 500 }) => msg === 'request' && status < 300);
  const worked = linesOf(/^worker\.log$/);
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
      new Set([...requestsOf(named(worker.common, 'payments handed to the bank')), ...issuedElsewhere()]),
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
  const answered = requestsOf(linesOf(/^api\.log$/));
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

/** Requests of orders whose dependent order is issued on another chain: no payment leaves for them. */
function issuedElsewhere(): Set<string> {
  const chainsOf = new Map<string, Set<string>>();
  for (const { msg, chain = '', correlationIds = [] } of linesOf(/^worker\.log$/))
    if (msg === 'legs settled') for (const id of correlationIds) chainsOf.set(id, (chainsOf.get(id) ?? new Set()).add(chain));
  return new Set([...chainsOf].flatMap(([id, chains]) => (chains.size > 1 ? [id] : [])));
}
