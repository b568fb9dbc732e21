import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Address } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { quickKeystore } from '../../chain/signers/vectors.ts';
import { fundedAccount, startLocalChain } from '../../support/chain/local-chain.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { deployToken } from '../../support/chain/token.ts';
import { testFolder } from '../../support/test-folder.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const operator = fundedAccount(1);
const nobody = `0x${'d'.repeat(40)}`;

const folder = testFolder();
let file: string;
const chain = forWholeFile(() => startLocalChain({ chainId: 137, slotsInAnEpoch: 1 }));
let token: Address;

beforeAll(async () => {
  file = path.join(folder, 'production.env');
  await chain.mine({ blocks: 7 });
  token = await deployToken(chain, { operator: operator.address });
  await chain.request({ method: 'anvil_setIntervalMining', params: [1] } as never);
});

const secrets = () => ({ MINTRAIL_ENVIRONMENT: 'sandbox', KEY: operator.privateKey, RPC: `${chain.url}/?key=0123456789abcdef0123` });
const add = (...args: string[]) => mintrail(['chain', 'add', 'polygon', ...args], secrets());

describe('mintrail chain add', () => {
  it('checks what is given, finds the block of the deployment, and shows the lines to set without a secret in them', async () => {
    const { code, stdout } = await add('--rpc', 'env:RPC', '--token', `eur:${token}`, '--signer', 'env:KEY');
    expect(code).toBe(0);
    expect(stdout).toContain(`polygon: all is well`);
    const lines = [`POLYGON_TOKENS=eur:${token}`, 'POLYGON_RPC_URLS="$RPC"', 'POLYGON_SIGNERS="$KEY"', 'POLYGON_START_BLOCK=9'];
    expect(stdout.trimEnd().split('\n').slice(-4)).toEqual(lines);
    expect(stdout).not.toContain('0123456789abcdef0123');
    expect(stdout).not.toContain(operator.privateKey);
  });

  it('sets nothing when a check failed, unless it is forced', async () => {
    const args = ['--rpc', chain.url, '--token', `eur:${nobody}`, '--write', file];
    const refused = await add(...args);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was set') as string });
    expect(existsSync(file)).toBe(false);
    expect((await add(...args, '--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(`POLYGON_TOKENS=eur:${nobody}\n`);
  });

  it('writes a file for its owner alone, with each line once however often it is run', async () => {
    writeFileSync(file, '# mine\nDATABASE_URL=postgres://x\nPOLYGON_CONFIRMATIONS=5\n');
    const args = ['--rpc', 'env:RPC', '--token', `eur:${token}`, '--signer', 'env:KEY', '--write', file];
    const { code, stdout } = await add(...args);
    expect(code).toBe(0);
    expect(stdout).toContain(`${file} now has POLYGON_TOKENS, POLYGON_RPC_URLS, POLYGON_SIGNERS, POLYGON_START_BLOCK, COMPOSE_PROFILES.`);
    expect(stdout).not.toMatch(/0123456789abcdef0123/);
    const written = readFileSync(file, 'utf8');
    expect(written).toBe(
      `# mine\nDATABASE_URL=postgres://x\nPOLYGON_CONFIRMATIONS=5\nPOLYGON_TOKENS=eur:${token}\nPOLYGON_RPC_URLS=${secrets().RPC}\nPOLYGON_SIGNERS=${operator.privateKey}\nPOLYGON_START_BLOCK=9\nCOMPOSE_PROFILES=polygon\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await add(...args)).stdout).toContain(`${file} now has POLYGON_TOKENS, POLYGON_RPC_URLS, POLYGON_SIGNERS.`);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('takes a signer whose gas money comes later, by a keystore whose password is in a file, and says what it lacks', async () => {
    const [keystore = '', password = '', written = ''] = ['keystore.json', 'password', 'later.env'].map((name) => path.join(folder, name));
    writeFileSync(keystore, JSON.stringify(quickKeystore));
    writeFileSync(password, 'foobar', { mode: 0o600 });
    const own = await deployToken(chain, { operator: `0x${quickKeystore.address}` });
    const signer = ['--signer', `keystore:${keystore}`, '--password-file', password];
    const { code, stdout } = await add('--rpc', 'env:RPC', '--token', `eur:${own}`, ...signer, '--write', written);
    expect(stdout.toLowerCase()).toContain(`to 0x${quickKeystore.address}`);
    expect(code).toBe(0);
    expect(readFileSync(written, 'utf8')).toContain(`POLYGON_KEYSTORE_PASSWORD=file:${password}\n`);
  });

  it('adds a token to those in the file, and keeps the endpoints there', async () => {
    const { stdout } = await add('--token', `gbp:${nobody}`, '--write', file, '--force');
    expect(stdout).toContain('there is no contract');
    expect(readFileSync(file, 'utf8')).toContain(`POLYGON_TOKENS=eur:${token},gbp:${nobody}\nPOLYGON_RPC_URLS=${secrets().RPC}\n`);
  });

  it('ends with 75 and sets nothing when nobody answers', async () => {
    const missing = path.join(folder, 'missing.env');
    const args = ['--rpc', 'http://127.0.0.1:1', '--token', `eur:${token}`, '--write', missing];
    expect((await add(...args)).code).toBe(75);
    expect(existsSync(missing)).toBe(false);
  });

  it('takes no secret from the command line', async () => {
    const withKey = await add('--rpc', secrets().RPC, '--token', `eur:${token}`);
    expect(withKey).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('(secret_in_arguments)') as string });
    const signer = await add('--rpc', chain.url, '--token', `eur:${token}`, '--signer', operator.privateKey);
    expect(signer.stderr).toContain('use --signer env:NAME');
    expect(withKey.stderr + signer.stderr).not.toMatch(/0123456789abcdef0123|[0-9a-f]{64}/);
  });

  it('names what is wrong in what is given', async () => {
    expect((await add('--rpc', chain.url)).stderr).toContain('Name a token with --token');
    expect((await add('--rpc', chain.url, '--token', 'chf:0x1')).stderr).toContain('POLYGON_TOKENS: "chf:0x1" is not of the form eur:0x…');
  });
});

describe('mintrail chain list', () => {
  it('shows every network with its defaults, and what is set', async () => {
    const env = { GNOSIS_TOKENS: `eur:${nobody}`, GNOSIS_RPC_URLS: chain.url, GNOSIS_CONFIRMATIONS: '7' };
    const { stdout } = await mintrail(['chain', 'list'], env);
    expect(stdout).toMatch(/ethereum +Ethereum +1 +ETH +finalized +12 s +320\n/);
    expect(stdout).toMatch(/gnosis +Gnosis +100 +xDAI +7 +5 s +165 +eur, 1 RPC, 0 signers\n/);
    const all = JSON.parse((await mintrail(['chain', '--json'], env)).stdout) as { chain: string; explorer: string }[];
    expect(all).toHaveLength(14);
    expect(all[0]).toMatchObject({ chain: 'ethereum', explorer: 'https://etherscan.io', chainId: 1 });
  });
});
