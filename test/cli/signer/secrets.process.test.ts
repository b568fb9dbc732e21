import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Hex, hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptKeystore } from '../../../src/chain/signers/keystore-v3.ts';
import { generateSecretsKey } from '../../../src/platform/sealing.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { quickCost } from '../../chain/signers/vectors.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { createCustomer } from '../../support/customer.ts';
import { type FakeKms, kmsVariables, startFakeKms } from '../../support/signers/fake-kms.ts';
import { type FakeWeb3signer, startFakeWeb3signer } from '../../support/signers/fake-web3signer.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { until } from '../../support/until.ts';
import { testFolder } from '../../support/test-folder.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const keys = {
  inEnvironment: generatePrivateKey(),
  inFile: generatePrivateKey(),
  inKeystore: generatePrivateKey(),
  inWeb3signer: generatePrivateKey(),
  inKms: operator.privateKey,
};
const secretsKey = generateSecretsKey();
const password = `password-${randomUUID()}`;
const pathSecret = `path-${randomUUID()}`;
const folder = testFolder();
const file = (name: string) => path.join(folder, name);

const database = testLedger();
const network = forWholeFile(() => startTestNetwork({ databaseUrl: database.url }));
const { ledger } = database;
let kms: FakeKms;
let web3signer: FakeWeb3signer;
let metricsPort: number;
let port: number;
let apiMetricsPort: number;
const processes: ChildProcess[] = [];

/** All that a process wrote or served, with the command lines of all processes of this machine while it ran. */
let seen = '';

beforeAll(async () => {
  [kms, web3signer, metricsPort, port, apiMetricsPort] = await Promise.all([
    startFakeKms(keys.inKms),
    startFakeWeb3signer([keys.inWeb3signer]),
    freePort(),
    freePort(),
    freePort(),
  ]);
  writeFileSync(file('keys'), keys.inFile);
  writeFileSync(file('password'), password);
  const { address } = privateKeyToAccount(keys.inKeystore);
  writeFileSync(file('keystore.json'), await encryptKeystore(hexToBytes(keys.inKeystore), address, password, quickCost));
});

afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await Promise.all([kms.stop(), web3signer.stop()]);
});

function variables(more: Record<string, string> = {}): Record<string, string> {
  const remote = `web3signer:${web3signer.url}/${pathSecret}/${privateKeyToAccount(keys.inWeb3signer).address}`;
  return {
    ...network.env,
    ...kmsVariables(kms),
    LOG_LEVEL: 'trace',
    METRICS_PORT: String(metricsPort),
    PORT: String(port),
    CHIADO_SIGNERS: [keys.inEnvironment, `file:${file('keys')}`, `keystore:${file('keystore.json')}`, `awskms:${kms.keyId}`, remote].join(
      ',',
    ),
    CHIADO_KEYSTORE_PASSWORD: password,
    SECRETS_KEY: secretsKey,
    ...more,
  };
}

/** Starts a process of the service, and collects what it writes. */
function start(args: string[], more: Record<string, string> = {}): ChildProcess {
  const program = fileURLToPath(new URL('../../../src/cli/mintrail.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...variables(more) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  processes.push(child);
  return child;
}

function collectCommandLines() {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      seen += readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      // It has ended meanwhile.
    }
  }
}

const take = (text: { toString(): string }) => {
  seen += text.toString();
};
const collect = async (address: string) => take(await (await fetch(address)).text());
const collectCommand = async (args: string[], more?: Record<string, string>) => {
  const { stdout, stderr, code } = await mintrail(args, variables(more));
  take(stdout + stderr);
  return { code, stderr };
};
const written = (text: string) => until(`it is written: ${text}`, async () => seen.includes(text) || undefined);

/** Forms in which a key could slip out. */
function formsOf(key: Hex): string[] {
  const bytes = Buffer.from(hexToBytes(key));
  return [key.slice(2), key.slice(2).toUpperCase(), bytes.toString('base64'), bytes.join(','), bytes.join(', '), BigInt(key).toString()];
}

function secrets(): string[] {
  const { AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN = '' } = kmsVariables(kms);
  return [...Object.values(keys).flatMap(formsOf), secretsKey, password, pathSecret, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN];
}

const found = (text: string) => secrets().filter((secret) => text.includes(secret));

describe('keys and passwords', () => {
  it('would be found', () => {
    for (const secret of secrets()) expect(found(`{"msg":"${secret}"}`)).toContain(secret);
  });

  it('are in no log, answer, metric or command line of the service, whatever its signers do', async () => {
    web3signer.fault = 'fails';
    start(['worker', '--chain', 'chiado', '--common']);
    start(['api'], { METRICS_PORT: String(apiMetricsPort) });
    await written('a lane waits for its signer');
    await written('"msg":"the lane is held"');
    kms.fault = 'quotes the request';
    const { iban } = await createCustomer(ledger, 'chiado');
    await issueCredits(ledger, [creditTo(iban, 100n)]);
    await written('InvalidSignatureException');
    web3signer.fault = 'has lost the key';
    await written('configured wrongly');
    expect((await collectCommand(['status', '--json'])).code).toBe(1);
    collectCommandLines();
    for (const at of [`${apiMetricsPort}/metrics`, `${port}/health/ready`, `${metricsPort}/metrics`])
      await until(`${at} answers`, () =>
        collect(`http://127.0.0.1:${at}`).then(
          () => true,
          () => undefined,
        ),
      );
    kms.fault = undefined;
    await written('the signer signs again');
    await written('"msg":"transaction sent"');
    expect(seen).toMatch(/the signer 0x\w{40} does not sign: AWS KMS for/);
    expect(seen).toMatch(/the signer web3signer:http\S+ does not sign: /);
    expect(found(seen)).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['(invalid_settings)', { MINTRAIL_ENVIRONMENT: 'production' }],
    ['A signer key must be', { CHIADO_SIGNERS: `${keys.inEnvironment}00` }],
    ['is not a keystore of version 3', { CHIADO_SIGNERS: `keystore:${file('keys')}` }],
    ['(wrong_keystore_password)', { CHIADO_SIGNERS: `keystore:${file('keystore.json')}`, CHIADO_KEYSTORE_PASSWORD: `${password}x` }],
    ['A remote signer is of the form', { CHIADO_SIGNERS: `web3signer:https://mintrail:${password}@127.0.0.1/0x12` }],
  ])('are not in the error when a worker stops at its start: %s', async (text, more) => {
    const { code: exit, stderr } = await collectCommand(['worker', '--chain', 'chiado'], { LOG_LEVEL: 'debug', METRICS_PORT: '', ...more });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining(text) as string });
    expect(found(stderr)).toEqual([]);
  });
});
