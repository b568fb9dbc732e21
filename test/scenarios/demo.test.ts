import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isValidIBAN } from 'ibantools';
import { afterAll, expect, it } from 'vitest';
import type { Instance } from '../../src/cli/sandbox/instance.ts';
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
  expect(told.match(/^ {3}order .* is processed after/gm)).toHaveLength(9);
  expect(told.match(/^ {3}order .* is rejected after/gm)).toHaveLength(1);
  expect(told).toMatch(/answer {10}202/);
  expect(told).toMatch(/review {10}Anna Karlsson is approved/);
  expect(told).toMatch(/overview {8}You are verified\./);
  expect(told).toMatch(/committed {7}\S+ with nonce 1, valid until/);
  expect(told).toMatch(/balance {9}57\.\d+ usd by the API, 57\d+ token units by the chain/);
  expect(told).toMatch(
    /^ {3}event {11}order\.created +\S+ {2}\S+ {2}placed {2}12\.00 eur\n {3}event {11}order\.updated +\S+ {2}\S+ {2}processed {2}12\.00 eur$/m,
  );
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
  expect(written.map(([name]) => name)).toEqual(expect.arrayContaining(['api.log', 'worker-common.log', 'postgres.log']));
  expect(written.map(([, text]) => text).join('')).toContain('"path":"/orders"');
  for (const [name, text] of written) {
    expect([...personalData(text), ...(text.match(credentials) ?? [])], name).toEqual([]);
    for (const secret of secrets()) expect(text.includes(secret), `${name} holds a secret`).toBe(false);
  }
});
