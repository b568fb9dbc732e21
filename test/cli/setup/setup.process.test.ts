import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEnvFile, writeEnvFile } from '../../../src/cli/env-file.ts';
import { startTestNetwork } from '../../support/chain/network.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { testFolder } from '../../support/test-folder.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const folder = testFolder();
const database = testLedger();
const network = forWholeFile(() => startTestNetwork({ databaseUrl: database.url, chain: 'gnosis' }));
let mailServer: Server;
let answers: Record<string, string>;

beforeAll(async () => {
  mailServer = createServer((socket) => {
    socket.write('220 mail.example\r\n');
    socket.on('data', (line) => socket.write(line.toString().startsWith('QUIT') ? '221 bye\r\n' : '250 mail.example\r\n'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => mailServer.once('listening', resolve));
  for (const name of ['inbox', 'outbox']) mkdirSync(path.join(folder, name));
  answers = {
    DATABASE_URL: database.url,
    BASE_URL: 'https://localhost',
    SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
    MAIL_FROM: 'accounts@money.example',
    BANK_ACCOUNT: 'DE75512108001245126199',
    BANK_ACCOUNT_NAME: 'Example E-Money GmbH',
    BANK_BIC: 'EXAMDEFF',
    BANK_IBAN_COUNTRY: 'DE',
    BANK_IBAN_PREFIX: '512108004',
    BANK_INBOX: path.join(folder, 'inbox'),
    BANK_OUTBOX: path.join(folder, 'outbox'),
    GNOSIS_RPC_URLS: network.anvil.url,
    GNOSIS_TOKENS: `eur:${network.tokens.eur}`,
  };
});
afterAll(() => mailServer.close());

const envFile = () => path.join(folder, '.env');
const secrets = () => path.join(folder, 'secrets');

function setUp(given: Record<string, string>, ...options: string[]) {
  const file = path.join(folder, 'answers');
  writeFileSync(
    file,
    Object.entries(given)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
  return mintrail(['setup', '--answers', file, '--write', envFile(), '--secrets', secrets(), ...options]);
}

/** Where another deployment keeps what setup makes. */
const elsewhere = (name: string) => ['--write', path.join(folder, `${name}.env`), '--secrets', path.join(folder, `${name}-secrets`)];

it('names every wrong and missing answer at once, by its form and by what it names, and writes nothing', async () => {
  const { BANK_BIC: _, ...others } = answers;
  const noDatabase = new URL(database.url);
  noDatabase.pathname = '/none';
  const wrong = {
    DATABASE_URL: noDatabase.href,
    BASE_URL: 'http://money.example',
    MAIL_FROM: '',
    BANK_ACCOUNT: 'DE75512108001245126198',
    BANK_IBAN_PREFIX: '512108001245126',
    GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`,
    GNOSIS_SIGNERS: `0x${'7'.repeat(64)}`,
    BANK_BICC: 'EXAMDEFF',
  };
  const { code, stdout, stderr } = await setUp({ ...others, ...wrong });
  expect(code).toBe(1);
  expect(stderr).toMatch(/Nothing was written/);
  expect(stderr).toMatch(/DATABASE_URL: .*database "none" does not exist/);
  expect(stderr).toMatch(/BASE_URL: .*https/);
  expect(stderr).toContain('MAIL_FROM: is required with SMTP_URL');
  expect(stderr).toContain('BANK_ACCOUNT: DE75512108001245126198 is not a valid IBAN');
  expect(stderr).toContain('BANK_BICC: is not asked for');
  expect(stderr).toMatch(/GNOSIS_SIGNERS: A raw private key .* signs in the sandbox only/);
  expect(`${stdout}${stderr}`).not.toContain('7777');
  expect(stderr).toMatch(/BANK_BIC: is not set: .* Such as EXAMDEFF/);
  expect(stderr).toMatch(/BANK_IBAN_PREFIX: .*leaves 3 digits/);
  expect(stderr).toMatch(/GNOSIS_TOKENS: code: there is no contract/);
  expect(() => statSync(envFile())).toThrow('ENOENT');
  expect(() => statSync(secrets())).toThrow('ENOENT');
});

it('says that an endpoint is of another chain', async () => {
  const { stderr } = await mintrail(['setup', '--answers', path.join(folder, 'answers'), '--chain', 'chiado'], { CHIADO_RPC_URLS: '' });
  expect(stderr).toContain('CHIADO_RPC_URLS: is not set');
  writeFileSync(path.join(folder, 'answers'), `CHIADO_RPC_URLS=${network.anvil.url}\n`);
  const other = await mintrail(['setup', '--answers', path.join(folder, 'answers'), '--chain', 'chiado', '--write', envFile()]);
  expect(other.stderr).toMatch(/CHIADO_RPC_URLS: chain id: 100, but .* is 10200/);
});

it('checks the answers, and writes the settings and the secrets for this user alone', async () => {
  const { code, stdout, stderr } = await setUp(answers);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('DATABASE_URL: ok: PostgreSQL answers');
  expect(stdout).toContain('SMTP_URL: ok: the mail server greets');
  expect(stdout).toContain('999,999,999 IBANs, from DE');
  expect(stdout).toMatch(/GNOSIS_RPC_URLS: ok: head: block \d+/);
  expect(stdout).toContain('signer create --keystore');
  const written = parseEnv(readFileSync(envFile(), 'utf8'));
  expect(written).toMatchObject({
    ...answers,
    MINTRAIL_ENVIRONMENT: 'production',
    SECRETS_KEY: `file:${secrets()}/secrets-key`,
    TRUST_PROXY: '1',
  });
  for (const file of [
    envFile(),
    ...['secrets-key', 'gnosis/password', 'gnosis-deployer/password'].map((name) => path.join(secrets(), name)),
  ])
    expect(statSync(file).mode & 0o777, file).toBe(0o600);
  expect(await mintrail(['--settings', envFile(), 'migrate'])).toMatchObject({ code: 0 });
});

it('keeps what is there, and replaces nothing without being told', async () => {
  const before = readFileSync(envFile(), 'utf8');
  const key = readFileSync(path.join(secrets(), 'secrets-key'), 'utf8');
  expect(await setUp({}, '--offline')).toMatchObject({ code: 0 });
  expect(readFileSync(envFile(), 'utf8')).toBe(before);
  const refused = await setUp({ BANK_BIC: 'OTHRDEFF' }, '--offline');
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('has other values of BANK_BIC') as string });
  expect(readFileSync(envFile(), 'utf8')).toBe(before);
  expect(await setUp({ BANK_BIC: 'OTHRDEFF' }, '--offline', '--yes')).toMatchObject({ code: 0 });
  expect(parseEnv(readFileSync(envFile(), 'utf8'))).toMatchObject({ ...answers, BANK_BIC: 'OTHRDEFF' });
  expect(readFileSync(path.join(secrets(), 'secrets-key'), 'utf8')).toBe(key);
});

it('writes what did not answer, names it, and ends with 75', async () => {
  const { code, stdout } = await setUp({ ...answers, SMTP_URL: 'smtp://127.0.0.1:1' }, '--yes');
  expect(code).toBe(75);
  expect(stdout).toMatch(/SMTP_URL: no answer: .*ESOCKET/);
  expect(parseEnv(readFileSync(envFile(), 'utf8'))['SMTP_URL']).toBe('smtp://127.0.0.1:1');
});

it('changes nothing that it does not ask for: a key in the file, and the keystores of other commands, get no second one', async () => {
  const kept = {
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    GNOSIS_DEPLOYER: 'keystore:secrets/deployer.json',
    GNOSIS_DEPLOYER_PASSWORD: 'file:secrets/deployer-password',
    GNOSIS_KEYSTORE_PASSWORD: 'file:secrets/operator-password',
    GNOSIS_SIGNERS: 'keystore:secrets/operator.json',
    PORT: '3100',
  };
  writeEnvFile(path.join(folder, 'tour.env'), { ...kept, ...answers });
  const added = { CHIADO_RPC_URLS: 'https://rpc.one.example,https://rpc.two.example' };
  const networks = ['--chain', 'gnosis', '--chain', 'chiado', '--offline', '--yes'];
  const { code, stdout, stderr } = await setUp(added, ...elsewhere('tour'), ...networks);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const made = path.join(folder, 'tour-secrets');
  expect(readEnvFile(path.join(folder, 'tour.env'))).toMatchObject({
    ...kept,
    ...answers,
    ...added,
    CHIADO_KEYSTORE_PASSWORD: `file:${made}/chiado/password`,
  });
  expect(readdirSync(made).toSorted()).toEqual(['chiado', 'chiado-deployer']);
  expect(stdout).toContain('signer create --keystore secrets/operator.json --password-file secrets/operator-password');
});

it('changes nothing of what is in effect by being silent in a file that is there, and names what it adds', async () => {
  const { DATABASE_URL: _, ...others } = answers;
  writeEnvFile(path.join(folder, 'running.env'), others);
  const { code, stdout, stderr } = await setUp({ DATABASE_URL: database.url }, ...elsewhere('running'), '--offline');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const written = readEnvFile(path.join(folder, 'running.env'));
  expect(written).toMatchObject({ ...answers, TRUST_PROXY: '0', MINTRAIL_DATA_DIR: '.mintrail' });
  const added = Object.keys(written).filter((name) => !(name in others));
  expect(added.length).toBeGreaterThan(5);
  for (const name of added)
    expect(stdout).toContain(name === 'DATABASE_URL' ? '\n  DATABASE_URL (a secret)\n' : `\n  ${name}=${written[name]}\n`);
  expect(stdout).not.toContain(database.url);
  for (const name of Object.keys(others)) expect(stdout).not.toContain(`\n  ${name}`);
});

it('leaves the settings of a sandbox alone', async () => {
  writeEnvFile(path.join(folder, 'sandbox.env'), { MINTRAIL_ENVIRONMENT: 'sandbox' });
  const { code, stderr } = await setUp(answers, ...elsewhere('sandbox'), '--offline', '--yes');
  expect(code).toBe(1);
  expect(stderr).toContain('MINTRAIL_ENVIRONMENT: is sandbox: write the settings of production into another file');
});

it('asks only on a terminal', async () => {
  const { code, stderr } = await mintrail(['setup']);
  expect(code).toBe(3);
  expect(stderr).toContain('use --answers');
});
