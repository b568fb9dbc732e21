import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { ServiceAccount } from 'kubernetes-models/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { type Anvil, startAnvil } from '../support/chain/anvil.ts';
import { connectLocalChain, fundedAccount } from '../support/chain/local-chain.ts';
import { deployToken } from '../support/chain/token.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { createCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type FakeKms, kmsVariables, startFakeKms } from '../support/signers/fake-kms.ts';
import { until } from '../support/until.ts';
import { testFolder } from '../support/test-folder.ts';

interface Statement {
  Sid: string;
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Condition?: Record<string, Record<string, string>>;
}

const examples = 'examples/kms';
const operator = fundedAccount(1);
const policy = (name: string) => (JSON.parse(readFileSync(`${examples}/${name}`, 'utf8')) as { Statement: Statement[] }).Statement;
const actions = (statements: readonly Statement[]) => statements.flatMap(({ Action }) => Action).toSorted();
/** What may be asked for a signature, by its condition. */
const signing = (statements: readonly Statement[]) =>
  statements.filter(({ Effect, Action }) => Effect === 'Allow' && Action === 'kms:Sign').map(({ Condition }) => Condition);
const digestsOnly = { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' } };

/** In the place of /etc/mintrail: the files of the examples, with the addresses of this test behind their own. */
const settings = testFolder();

let anvil: Anvil;
let database: TestDatabase;
let kms: FakeKms;
let ledger: Ledger;
let worker: ChildProcess | undefined;

beforeAll(async () => {
  [database, kms, anvil] = await Promise.all([
    createTestDatabase(),
    startFakeKms(operator.privateKey),
    startAnvil({ chainId: 100, slotsInAnEpoch: 1, blockTime: 1 }),
  ]);
  const token = await deployToken(connectLocalChain(anvil.url, 100), { operator: operator.address });
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  copyFileSync('examples/systemd/mintrail.env', path.join(settings, 'mintrail.env'));
  const here = {
    DATABASE_URL: database.url,
    REDIS_URL: '',
    MINTRAIL_DATA_DIR: settings,
    GNOSIS_TOKENS: `eur:${token}`,
    GNOSIS_RPC_URLS: anvil.url,
    GNOSIS_START_BLOCK: '0',
  };
  const lines = Object.entries({ ...here, METRICS_PORT: '' }).map(([name, value]) => `${name}=${value}`);
  writeFileSync(path.join(settings, 'gnosis.env'), [readFileSync(`${examples}/gnosis.env`, 'utf8'), ...lines].join('\n'));
});

afterAll(async () => {
  worker?.kill('SIGKILL');
  await ledger?.destroy();
  await Promise.all([kms?.stop(), anvil?.stop()]);
  await database?.drop();
});

/** The environment of the worker's machine: credentials come from its role, in their place from variables. The region is that of gnosis.env. */
function machine(): Record<string, string> {
  const { AWS_REGION: _, ...credentials } = kmsVariables(kms);
  return { PATH: process.env['PATH'] ?? '', ...credentials };
}

describe('examples/kms', () => {
  it('shows the signer and finds all well, by the commands of its page', async () => {
    const page = readFileSync(`${examples}/README.md`, 'utf8');
    const blocks = [...page.matchAll(/^ *```sh worker\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
    expect(blocks).toHaveLength(2);
    const commands = ['set -e', ...blocks].join('\n').replaceAll('/etc/mintrail', settings);
    const { stdout } = await promisify(execFile)('bash', ['-c', commands], { env: machine() });
    expect(stdout).toContain(operator.address.toLowerCase());
    expect(stdout).toContain('AWS KMS');
    expect(stdout).not.toMatch(/FAILURE|no answer/);
  });

  it('has the worker issue with these settings, in production, and its policies allow what it asked for and no more', async () => {
    const files = ['mintrail.env', 'gnosis.env'].map((name) => `--env-file=${path.join(settings, name)}`);
    let log = '';
    worker = spawn(process.execPath, [...files, 'src/cli/mintrail.mjs', 'worker', '--chain', 'gnosis'], { env: machine() });
    for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const { iban } = await createCustomer(ledger, 'gnosis');
    await issueCredits(ledger, [creditTo(iban, 1_00n)], 'gnosis');
    await until('the tokens are issued', async () => {
      const mined = await ledger.selectFrom('transactions').select('signer').where('state', '=', 'mined').execute();
      return mined.some(({ signer }) => signer === operator.address.toLowerCase()) || undefined;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}:\n${log}`);
    });

    const asked = [...new Set(kms.operations)].map((operation) => `kms:${operation}`).toSorted();
    expect(asked).toEqual(['kms:GetPublicKey', 'kms:Sign']);
    expect(actions(policy('worker-policy.json'))).toEqual(asked);
    // The server turns any other request for a signature down.
    expect(signing(policy('worker-policy.json'))).toEqual([digestsOnly]);
    expect(signing(policy('key-policy.json'))).toEqual([digestsOnly]);
    expect(log).not.toContain('may-see');
  });

  it('lets nobody sign but the role, nobody make grants, and names one key and one role everywhere', () => {
    const deny = policy('key-policy.json').find(({ Effect }) => Effect === 'Deny');
    const role = 'arn:aws:iam::111122223333:role/mintrail-worker-gnosis';
    expect(deny).toMatchObject({ Action: ['kms:Sign', 'kms:CreateGrant'], Condition: { StringNotEquals: { 'aws:PrincipalArn': role } } });
    const allowed = actions(policy('key-policy.json').filter(({ Effect }) => Effect === 'Allow'));
    expect(allowed.filter((action) => action.includes('*') || action === 'kms:CreateGrant')).toEqual([]);
    const { GNOSIS_SIGNERS: signer = '', ...others } = parseEnv(readFileSync(`${examples}/gnosis.env`, 'utf8'));
    expect(Object.keys(others).filter((name) => /SECRET|ACCESS_KEY|PASSWORD/.test(name))).toEqual([]);
    const resources = policy('worker-policy.json').map((statement) => (statement as { Resource?: string }).Resource);
    expect(new Set(resources)).toEqual(new Set([signer.replace('awskms:', '')]));
    const account = parse(readFileSync(`${examples}/service-account.yaml`, 'utf8')) as ConstructorParameters<typeof ServiceAccount>[0];
    expect(() => new ServiceAccount(account).validate()).not.toThrow();
    expect(account?.metadata?.annotations?.['eks.amazonaws.com/role-arn']).toBe(role);
  });
});
