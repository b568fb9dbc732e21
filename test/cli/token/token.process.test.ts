import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Address, parseUnits } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { deployOnce } from '../../../src/chain/deploy/deploy-once.ts';
import { createRpc } from '../../../src/chain/endpoints/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { planToken } from '../../../src/chain/deploy/token-plan.ts';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { adminRoles, tokenRoles } from '../../../src/chain/token/roles.ts';
import { translateRpcErrors } from '../../../src/chain/node-answer.ts';
import { create2Factory } from '../../../src/chain/deploy/create2.ts';
import type { DeployOptions } from '../../../src/cli/token/deployment.ts';
import { deployToken } from '../../../src/cli/token/deployment.ts';
import { type Currency, minorUnits, tokenUnits } from '../../../src/platform/money.ts';
import { loadNetwork } from '../../../src/platform/settings.ts';
import { startAnvil } from '../../support/chain/anvil.ts';
import { fundedAccount, localAccount, startLocalChain, transact } from '../../support/chain/local-chain.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { createSafe, deploySafeSuite, type SafeSuite } from '../../support/chain/safe.ts';
import { until } from '../../support/until.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const deployer = fundedAccount(4);
const operator = fundedAccount(5);
const blocker = fundedAccount(6);
const owners = [fundedAccount(1), fundedAccount(2), fundedAccount(3)] as const;

const chain = forWholeFile(() => startLocalChain({ chainId: 100, slotsInAnEpoch: 1, blockTime: 0.2 }));
let suite: SafeSuite;
let admin: Address;

beforeAll(async () => {
  suite = await deploySafeSuite(chain, chain.url, '1.4.1');
  admin = await createSafe(chain, suite, { owners: owners.map(({ address }) => address), threshold: 2 });
});
const mine = (on: boolean) => chain.request({ method: 'anvil_setIntervalMining', params: [on ? 1 : 0] } as never);

const environment = (changed: Record<string, string> = {}) => ({
  MINTRAIL_ENVIRONMENT: 'sandbox',
  GNOSIS_RPC_URLS: chain.url,
  GNOSIS_DEPLOYER: deployer.privateKey,
  ...changed,
});

/** The command line of a deployment. */
function deployment(currency: string): string[] {
  const options = { '--admin': admin, '--operator': operator.address, '--mint-allowance': '1000.50', '--blocker': blocker.address };
  return ['token', 'deploy', '--chain', 'gnosis', '--currency', currency, ...Object.entries(options).flat()];
}

/** The same in this process, which is quicker. */
const deploy = (currency: Currency, changed: Partial<DeployOptions> = {}, env: Record<string, string> = {}) =>
  translateRpcErrors(() =>
    deployToken(
      {
        chain: 'gnosis',
        currency,
        admin,
        adminDelay: 86_400,
        operator: [operator.address],
        mintAllowance: minorUnits(1000_50n),
        blocker: [blocker.address],
        ...changed,
      },
      environment(env),
      async () => {},
    ),
  );

/** The same set-up, as planned. */
const planned = (currency: 'eur' | 'gbp' | 'usd' | 'isk') =>
  planToken({
    currency,
    admin,
    adminDelay: 86_400,
    operators: [{ account: operator.address, mintAllowance: limit, dailyMintLimit: limit }],
    blockers: [blocker.address],
  });

const limit = tokenUnits(parseUnits('1000.5', 18));

const holds = (token: Address, role: keyof typeof tokenRoles, account: Address) =>
  chain.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'hasRole', args: [tokenRoles[role], account] });

describe('mintrail token deploy', () => {
  let token: Address;

  it('deploys a token whose every role is where it belongs, and tells the settings', async () => {
    const { code, stdout, stderr } = await mintrail([...deployment('eur'), '--yes', '--json'], environment());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as { token: Address; deployed: boolean; block: string; settings: string[] };
    token = answer.token;
    expect(answer).toMatchObject({ token: planned('eur').token.address, deployed: true });
    expect(answer.settings).toEqual([`GNOSIS_TOKENS=eur:${token}`, `GNOSIS_START_BLOCK=${answer.block}`]);
    const read = { address: token, abi: eMoneyTokenAbi } as const;
    expect(await chain.readContract({ ...read, functionName: 'defaultAdmin' })).toBe(admin);
    expect(await chain.readContract({ ...read, functionName: 'mintAllowance', args: [operator.address] })).toBe(parseUnits('1000.5', 18));
    for (const role of adminRoles) expect(await holds(token, role, admin)).toBe(true);
    expect(await holds(token, 'OPERATOR_ROLE', operator.address)).toBe(true);
    expect(await holds(token, 'BLOCKER_ROLE', blocker.address)).toBe(true);
    for (const role of [...adminRoles, 'OPERATOR_ROLE'] as const) expect(await holds(token, role, deployer.address)).toBe(false);
  });

  it('sends nothing when it is run again, and says the same', async () => {
    const nonce = await chain.getTransactionCount({ address: deployer.address });
    const { code, stdout } = await mintrail(deployment('eur'), environment());
    expect(code).toBe(0);
    expect(stdout).toContain('The token was deployed before; nothing was sent.');
    expect(stdout).toMatch(new RegExp(`GNOSIS_TOKENS=eur:${token}\nGNOSIS_START_BLOCK=\\d+\n$`));
    expect(await chain.getTransactionCount({ address: deployer.address })).toBe(nonce);
  });

  it('goes on where it was killed, before and after the network took a transaction, and there is one token', async () => {
    const { implementation, token: proxy } = planned('gbp');
    await mine(false);
    const nonce = await chain.getTransactionCount({ address: deployer.address });
    const child = spawn(process.execPath, [mintrailProgram, ...deployment('gbp'), '--yes'], {
      env: { PATH: process.env['PATH'], MINTRAIL_DATA_DIR: '/nonexistent', ...environment() },
    });
    const pending = () => chain.getTransactionCount({ address: deployer.address, blockTag: 'pending' });
    // The implementation is there from before, so this is the proxy.
    expect(await chain.getCode({ address: implementation.address })).toBeDefined();
    await until('the transaction is on its way', async () => (await pending()) > nonce || undefined);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    expect(await chain.getCode({ address: proxy.address })).toBeUndefined();
    await mine(true);
    expect((await deploy('gbp')).token).toBe(proxy.address);
    expect(await chain.getTransactionCount({ address: deployer.address })).toBe(nonce + 1);
    expect(await holds(proxy.address, 'DEFAULT_ADMIN_ROLE', admin)).toBe(true);
  });

  it('is the same whoever sends it: a deployment that another has finished is taken as it is', async () => {
    const network = loadNetwork('gnosis', environment());
    const other = createKeySigner(fundedAccount(7).privateKey);
    await deployOnce({ rpc: createRpc(network), chain: 'gnosis', signer: other }, planned('usd').token);
    expect(await deploy('usd')).toMatchObject({ deployed: false, token: planned('usd').token.address });
    expect(await holds(planned('usd').token.address, 'OPERATOR_ROLE', other.address)).toBe(false);
  });

  it.each<[string, Partial<DeployOptions>, Record<string, string>, string]>([
    ['an admin without code', { admin: `0x${'d'.repeat(40)}` }, {}, 'There is no Safe at'],
    ['a contract that is no Safe', { admin: create2Factory }, {}, 'There is no Safe at'],
    ['operators that may issue nothing', { mintAllowance: minorUnits(0n) }, {}, 'set --mint-allowance'],
    ['a deployer that would operate', { operator: [deployer.address] }, {}, 'name another account'],
    ['nobody who pays', {}, { GNOSIS_DEPLOYER: '' }, 'No account pays for the deployment'],
    ['a raw key in production', {}, { MINTRAIL_ENVIRONMENT: 'production' }, 'signs in the sandbox only'],
    ['a deployer without money', {}, { GNOSIS_DEPLOYER: localAccount(`0x${'9'.repeat(64)}`).privateKey }, 'send it more'],
  ])('refuses %s, and sends nothing', async (_, options, env, expected) => {
    await expect(deploy('isk', options, env)).rejects.toMatchObject({
      message: expect.stringContaining(expected) as string,
      retryable: false,
    });
    expect(await chain.getCode({ address: planned('isk').token.address })).toBeUndefined();
  });

  it('refuses an endpoint of another chain, and calls an outage one', async () => {
    const other = await startAnvil({ chainId: 1 });
    const wrong = deploy('isk', {}, { GNOSIS_RPC_URLS: `${chain.url},${other.url}` });
    await expect(wrong).rejects.toMatchObject({ code: 'wrong_chain', retryable: false });
    await other.stop();
    const down = await deploy('isk', {}, { GNOSIS_RPC_URLS: 'http://user:secret@127.0.0.1:1' }).catch((error: unknown) => error);
    expect(down).toMatchObject({ code: 'rpc_unreachable', retryable: true });
    expect(String(down)).not.toContain('secret');
  });

  it('asks before it sends, and shows what it would do', async () => {
    const { code, stdout, stderr } = await mintrail(deployment('isk'), environment());
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'Error: Nothing was done. Confirm on a terminal, or add --yes\n(not_confirmed)\n',
    });
    expect(stdout).toContain('a Safe 1.4.1, 2 of 3');
    expect(stdout).toContain(`operator        ${operator.address}, may issue 1,000.50 ISKe, 1,000.50 ISKe a day`);
    expect(stdout).toContain(`deployer        ${deployer.address}, pays and holds no role`);
  });
});

describe('mintrail token show', () => {
  it('tells name, supply, roles and allowances, from the token itself', async () => {
    const { token } = planned('gbp');
    await transact(chain, { from: operator, to: token.address, data: encodeIssue([item]) });
    const { code, stdout } = await mintrail(['token', 'show', '--chain', 'gnosis', '--token', token.address], environment());
    expect(code).toBe(0);
    expect(stdout).toContain(
      `GBPe  Mintrail GBP\nhttps://gnosisscan.io/address/${token.address}\nsupply        12.34 GBPe\npaused        no\n`,
    );
    expect(stdout).toContain(`admin         ${admin}, a Safe 1.4.1, 2 of 3\n`);
    expect(stdout).toContain(`operator      ${operator.address}, may issue 988.16 GBPe more, 1,000.50 GBPe a day, 988.16 GBPe now\n`);
    expect(stdout).toMatch(new RegExp(`blocker +(${admin}, ${blocker.address}|${blocker.address}, ${admin})\n`));
  });

  it('says that an address is no token, and what to set where there is none', async () => {
    const none = await mintrail(['token', 'show', '--chain', 'gnosis', '--token', admin], environment());
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no e-money token at') as string });
    expect((await mintrail(['token', 'show', '--chain', 'gnosis'], environment())).stderr).toContain('set GNOSIS_TOKENS');
  });
});

const mintrailProgram = fileURLToPath(new URL('../../../src/cli/mintrail.mjs', import.meta.url));

const item = { sequence: 0n, orderId: '1'.repeat(32), account: owners[0].address, amount: minorUnits(12_34n) };
