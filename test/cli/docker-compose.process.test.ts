import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hexToBytes } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptKeystore } from '../../src/chain/signers/keystore-v3.ts';
import { chains } from '../../src/platform/chains.ts';
import { networkVariable, networkVariables, settingVariables } from '../../src/platform/settings.ts';
import { quickCost } from '../chain/signers/vectors.ts';
import { operator, startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { deployedProcesses, onThisMachine } from '../support/processes/deployed-process.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { noRedis, startTestRedis, type TestRedis } from '../support/processes/redis.ts';
import { startFakeServer } from '../support/fake-server.ts';
import { environmentOf, readComposeFile } from './docker-compose.ts';

const compose = readComposeFile();
const own = Object.entries(compose.services).filter(([, { image }]) => image === 'mintrail');
const passedTo = (variable: string) => own.filter(([, { environment = {} }]) => variable in environment).map(([name]) => name);

/** Settings that no service is passed, and why. */
const leftOut = new Map([
  ['MINTRAIL_DATA_DIR', 'the image sets it to its volume'],
  ['CONSOLE_LINK', 'of a sandbox'],
  ['GENESIS', 'of local chains'],
]);

/** Variables as lines of an environment file. */
const lines = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');

describe('docker-compose.yml', () => {
  it('has a process for every part, and a worker and an indexer for each network, which run where its profile is named', () => {
    const ofNetworks = chains.flatMap((chain) => [`indexer-${chain}`, `worker-${chain}`]);
    expect(own.map(([name]) => name).toSorted()).toEqual(['api', 'cli', 'console', 'migrate', 'worker-common', ...ofNetworks].toSorted());
    for (const chain of chains)
      for (const kind of ['worker', 'indexer'])
        expect(compose.services[`${kind}-${chain}`]).toMatchObject({ profiles: [chain], command: [kind, '--chain', chain] });
    expect(own.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual([
      'migrate',
      'api',
      'worker-common',
      'console',
    ]);
  });

  it('passes every setting to a service, or leaves it out for a reason', () => {
    const networks = chains.flatMap((chain) => networkVariables().filter((name) => name.startsWith(`${chain.toUpperCase()}_`)));
    const missing = [...settingVariables(), ...networks].filter((variable) => passedTo(variable).length === 0);
    const plain = missing.map((name) => name.replace(new RegExp(`^(${chains.join('|')})_`, 'i'), ''));
    expect([...new Set(plain)].toSorted()).toEqual([...leftOut.keys()].toSorted());
  });

  it('passes nothing that is no setting, but what AWS and OpenTelemetry name themselves', () => {
    const ofAws = ['AWS_REGION', 'AWS_ENDPOINT_URL_S3', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    const ofOthers = [...ofAws, 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES'];
    const known = new Set([...settingVariables(), ...networkVariables(), ...ofOthers]);
    for (const [name, { environment = {} }] of own)
      expect(
        Object.keys(environment).filter((variable) => !known.has(variable)),
        name,
      ).toEqual([]);
  });

  it('hands the keys of a network to its worker alone, and its endpoints to its indexer and the console too', () => {
    for (const chain of chains) {
      expect(passedTo(networkVariable(chain, 'signers'))).toEqual(['cli', `worker-${chain}`]);
      expect(passedTo(networkVariable(chain, 'keystorePassword'))).toEqual(['cli', `worker-${chain}`]);
      expect(passedTo(networkVariable(chain, 'rpcUrls'))).toEqual(['console', 'cli', `worker-${chain}`, `indexer-${chain}`]);
      expect(passedTo(networkVariable(chain, 'deployer'))).toEqual(['cli']);
      expect(compose.services[`worker-${chain}`]?.volumes).toEqual([`./secrets/${chain}:/run/secrets/${chain}:ro`]);
    }
  });

  it('hands the key that seals secrets to the processes that need it, in a file', () => {
    expect(compose.services['api']?.environment?.['SECRETS_KEY']).toBe('${SECRETS_KEY:-file:/run/secrets/secrets-key}');
    expect(passedTo('SECRETS_KEY')).toEqual(['api', 'worker-common', 'console', 'cli']);
    expect(own.filter(([, { secrets }]) => secrets !== undefined).map(([name]) => name)).toEqual(['api', 'worker-common', 'console']);
  });

  it('hands the bank to what pays and imports, and the number of proxies to the API and the console', () => {
    for (const name of [
      'BANK_ACCOUNT',
      'BANK_ACCOUNT_NAME',
      'BANK_BIC',
      'BANK_IBAN_COUNTRY',
      'BANK_IBAN_PREFIX',
      'BANK_OUTBOX',
      'BANK_INBOX',
    ])
      expect(passedTo(name), name).toEqual(['worker-common', 'console', 'cli']);
    expect(passedTo('TRUST_PROXY')).toEqual(['api', 'console']);
  });

  it('keeps what is written in named volumes, and all else read-only', () => {
    for (const [name, { read_only, volumes = [] }] of own) {
      expect(read_only, name).toBe(true);
      for (const volume of volumes) {
        const source = volume.replace(/\$\{\w+:-(\w+)\}/, '$1').split(':')[0] ?? '';
        if (!source.startsWith('.')) expect(Object.keys(compose.volumes), name).toContain(source);
      }
    }
  });

  it('is reached from other machines by its proxy alone', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port] as const));
    expect(published.filter(([, port]) => !port.startsWith('127.0.0.1:'))).toEqual([
      ['proxy', '80:80'],
      ['proxy', '443:443'],
      ['proxy', '443:443/udp'],
    ]);
  });

  it('bounds the memory and the logs of every service, and checks its health', () => {
    for (const [name, { mem_limit, logging, healthcheck }] of Object.entries(compose.services)) {
      expect(mem_limit, name).toMatch(/^\d+[gm]$/);
      expect(logging?.options, name).toEqual({ 'max-size': '20m', 'max-file': '5' });
      expect(healthcheck?.test ?? healthcheck?.disable, name).toBeDefined();
    }
  });

  it('checks the health of each process that serves something by its port', async () => {
    const served: string[] = [];
    const server = await startFakeServer(({ url = '' }) => {
      served.push(url);
      return { status: 200, body: '' };
    });
    const { port } = new URL(server.url);
    const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-health-'));
    const codes = ['api', 'console', 'worker', 'indexer', 'migrate'].map(async (command) => {
      const commandLine = path.join(folder, command);
      writeFileSync(commandLine, `node\0/app/src/cli/mintrail.mjs\0${command}\0`);
      const env = { PATH: process.env['PATH'], PORT: port, METRICS_PORT: port };
      const child = spawn(process.execPath, ['src/cli/health-check.mjs', commandLine], { env, stdio: 'inherit' });
      return (await once(child, 'exit'))[0] as number;
    });
    expect(await Promise.all(codes)).toEqual([0, 0, 0, 0, 0]);
    expect(served.toSorted()).toEqual(['/health/live', '/metrics', '/metrics', '/metrics']);
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  it('stops indexers by SIGINT, on which Ponder lets go of its lock', () => {
    for (const [name, { stop_signal }] of own) expect(stop_signal).toBe(name.startsWith('indexer') ? 'SIGINT' : undefined);
  });

  it('builds an image from files that exist, without the sandbox', () => {
    const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) => files?.split(' ') ?? []);
    expect(copied.length).toBeGreaterThan(4);
    expect(copied).not.toContain('sandbox');
    expect(copied).not.toContain('.');
    for (const file of copied) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
  });
});

describe.skipIf(noRedis !== undefined)('the services of docker-compose.yml, with exactly the environment that compose gives them', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-compose-'));
  const envFile = path.join(folder, '.env');
  const processes = deployedProcesses();
  let database: TestDatabase;
  let network: TestNetwork;
  let redis: TestRedis;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    network = await startTestNetwork({ databaseUrl: database.url, chain: 'gnosis' });
    for (const name of ['inbox', 'outbox']) mkdirSync(path.join(folder, 'bank', name), { recursive: true });
  });
  afterAll(async () => {
    await processes.end();
    await Promise.all([network?.close(), redis?.close()]);
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The variables of a service, with the folders of this test where its volumes would be, and ports of this machine. */
  async function variablesOf(name: string): Promise<Record<string, string>> {
    const service = compose.services[name];
    if (service === undefined) throw new Error(`There is no service ${name}`);
    const { parseEnv } = await import('node:util');
    const variables = environmentOf(service, parseEnv(readFileSync(envFile, 'utf8')) as Record<string, string>);
    const mounted = Object.entries(variables).map(([variable, value]) => [
      variable,
      value.replace('/bank/', `${folder}/bank/`).replace('/run/secrets/', `${folder}/secrets/`),
    ]);
    const image = { NODE_ENV: 'production', MINTRAIL_DATA_DIR: path.join(folder, 'data') };
    return onThisMachine({ ...image, ...(Object.fromEntries(mounted) as Record<string, string>) });
  }

  it('start, from the secrets and the settings that the command line makes', async () => {
    const secrets = path.join(folder, 'secrets');
    const answers = path.join(folder, 'answers');
    writeFileSync(
      answers,
      lines({
        BASE_URL: 'https://money.example',
        BANK_ACCOUNT: 'IS140159260076545510730339',
        BANK_ACCOUNT_NAME: 'Mintrail ehf.',
        BANK_BIC: 'ABCDIS22',
        BANK_IBAN_COUNTRY: 'IS',
        BANK_IBAN_PREFIX: '0133',
        GNOSIS_RPC_URLS: network.anvil.url,
      }),
    );
    const made = await mintrail(['setup', '--compose', '--answers', answers, '--offline', '--write', envFile, '--secrets', secrets], {});
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('docker compose run --rm cli signer create --keystore /run/secrets/gnosis/keystore.json');
    expect(readFileSync(envFile, 'utf8')).toMatch(/^POSTGRES_PASSWORD=[0-9a-f]{64}$/m);
    const password = readFileSync(path.join(secrets, 'gnosis', 'password'), 'utf8').trim();
    writeFileSync(
      path.join(secrets, 'gnosis', 'keystore.json'),
      await encryptKeystore(hexToBytes(operator.privateKey), operator.address, password, quickCost),
      { mode: 0o600 },
    );
    // Of this machine, where the services of compose have names.
    const ofMachine = { DATABASE_URL: database.url, REDIS_URL: redis.url, GNOSIS_CONFIRMATIONS: '0' };
    writeFileSync(envFile, `${readFileSync(envFile, 'utf8')}${lines(ofMachine)}`);
    const token = `eur:${network.tokens.eur}`;
    const added = await mintrail(
      ['chain', 'add', 'gnosis', '--token', token, '--start-block', '1', '--write', envFile],
      await variablesOf('cli'),
    );
    expect(added.stdout).toContain('GNOSIS_TOKENS, GNOSIS_START_BLOCK, COMPOSE_PROFILES');
    expect(readFileSync(envFile, 'utf8')).toContain('COMPOSE_PROFILES=gnosis\n');
    expect(await mintrail(['migrate'], await variablesOf('migrate'))).toMatchObject({ code: 0 });
    await Promise.all(
      ['api', 'console', 'worker-common', 'worker-gnosis', 'indexer-gnosis'].map(async (name) =>
        processes.start(name, compose.services[name]?.command ?? [], await variablesOf(name)),
      ),
    );
  });
});
