import path from 'node:path';
import { type Address, parseUnits, zeroHash } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { timelockRoles, type TokenRole, tokenRoles } from '../../../src/chain/token/roles.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { administrators, startAdministeredChain } from '../../support/chain/administered-token.ts';
import { fundedAccount, transact } from '../../support/chain/local-chain.ts';
import { deployToken } from '../../support/chain/token.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testFolder } from '../../support/test-folder.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const { owners, operator, blocker } = administrators;
const admin = fundedAccount(0);
const keys = {
  A: owners[0].privateKey,
  B: owners[1].privateKey,
  ADMIN: admin.privateKey,
  BLOCKER: blocker.privateKey,
  OPERATOR: operator.privateKey,
};
const account = `0x${'c'.repeat(40)}` as const;

const net = forWholeFile(() => startAdministeredChain('1.3.0'));
const folder = testFolder();
const file = (name: string) => path.join(folder, name);

const change = (token: Address, args: string[], changed: Record<string, string> = {}) =>
  mintrail(['token', ...args, '--chain', 'gnosis', '--currency', 'eur', '--yes'], { ...net.machine(token, keys), ...changed });
const ask = (token: Address, functionName: string, args: readonly unknown[] = []) => net.ask(token, functionName, args);
const holds = (token: Address, role: TokenRole, holder: string) => ask(token, 'hasRole', [tokenRoles[role], holder]);

describe('a token that a key administers', () => {
  let token: Address;
  const byAdmin = ['--signer', 'env:ADMIN'];

  beforeAll(async () => {
    token = await deployToken(net.chain, { operator: operator.address, mintAllowance: parseUnits('1000', 18) });
  });

  it('is paused and resumed by that key alone', async () => {
    const paused = await change(token, ['pause', ...byAdmin, '--json']);
    expect(JSON.parse(paused.stdout)).toMatchObject({
      chain: 'gnosis',
      currency: 'eur',
      account: admin.address,
      summary: expect.stringContaining('pause the token') as string,
      transaction: expect.stringMatching(/^0x/) as string,
    });
    expect(await ask(token, 'paused')).toBe(true);
    expect((await change(token, ['unpause', ...byAdmin])).code).toBe(0);
    expect(await ask(token, 'paused')).toBe(false);
  });

  it('gets an allowance from which is taken what was issued since it was decided', async () => {
    expect((await change(token, ['allowance', operator.address, '500', ...byAdmin])).code).toBe(0);
    expect(await ask(token, 'mintAllowance', [operator.address])).toBe(parseUnits('500', 18));
    expect(await ask(token, 'dailyMintLimit', [operator.address])).toBe(parseUnits('1000', 18));
    const item = { sequence: 0n, orderId: '1'.repeat(32), account, amount: minorUnits(200_00n) };
    await transact(net.chain, { from: operator, to: token, data: encodeIssue([item]) });
    expect((await change(token, ['allowance', operator.address, '500.00', '--daily-mint-limit', '700.00', ...byAdmin])).code).toBe(0);
    expect(await ask(token, 'mintAllowance', [operator.address])).toBe(parseUnits('500', 18));
    expect(await ask(token, 'mintable', [operator.address])).toBe(parseUnits('500', 18));
  });

  it('gets a new operator in two steps, and its allowance ends with its role', async () => {
    const late = ['allowance', account, '5', '--daily-mint-limit', '5', ...byAdmin];
    expect((await change(token, late)).stderr).toContain('is no operator of the token');
    const granted = await change(token, ['grant', 'operator', account, ...byAdmin]);
    expect(granted.stdout).toContain('It may issue nothing before it has an allowance: mintrail token allowance');
    expect((await change(token, ['allowance', account, '5', ...byAdmin])).stderr).toContain('its limit of a day is 0');
    expect((await change(token, late)).code).toBe(0);
    expect((await change(token, ['revoke', 'operator', account, ...byAdmin])).code).toBe(0);
    expect(await ask(token, 'mintAllowance', [account])).toBe(0n);
    expect(await holds(token, 'OPERATOR_ROLE', account)).toBe(false);
  });

  it('is upgraded to the code of this release, which is deployed by the way, and to nothing that is no token', async () => {
    const upgraded = await change(token, ['upgrade', ...byAdmin]);
    expect(upgraded).toMatchObject({ code: 0, stderr: '' });
    expect(upgraded.stdout).toContain('it is the code of this release of Mintrail');
    expect(await ask(token, 'currency')).toBe('EUR');
    expect((await change(token, ['upgrade', ...byAdmin])).stderr).toContain('(no_change)');
    const { contractAddress } = await transact(net.chain, { data: '0x6001600c60003960016000f300' });
    for (const wrong of [account, contractAddress as string, net.safe, token])
      expect((await change(token, ['upgrade', wrong, ...byAdmin])).stderr).toContain('The token cannot be upgraded to');
  });

  it.each<[string, string[], number, RegExp]>([
    ['nobody who signs and no file', ['pause'], 2, /name who signs with --signer, a file for a proposal with --propose/],
    ['an amount that is none', ['allowance', operator.address, '1,000', ...byAdmin], 2, /It must be an amount such as 1000000/],
    ['an account that is none', ['block', '0x12', ...byAdmin], 2, /It must be an address/],
    ['a role that is none', ['grant', 'default_admin', account, ...byAdmin], 2, /Allowed choices are operator, allowance, blocker/],
    ['a key on the command line', ['pause', '--signer', admin.privateKey], 1, /\(secret_in_arguments\)/],
    ['a proposal of a key', ['pause', ...byAdmin, '--propose', file('key')], 1, /may make this change by itself.*\n\(not_possible\)/],
    [
      'a proposal where no Safe has the role',
      ['pause', '--propose', file('key')],
      1,
      /held by: 0x\w+, which signs by itself\n\(not_possible\)/,
    ],
    ['a signer without the role', ['pause', '--signer', 'env:BLOCKER'], 1, /cannot use the role pauser of the token .*\n\(not_possible\)/],
    [
      'a role that an operator must not have',
      ['grant', 'pauser', operator.address, ...byAdmin],
      1,
      /an operator holds no other role\n\(bad_input\)/,
    ],
    ['an operator that administers', ['grant', 'operator', admin.address, ...byAdmin], 1, /an operator holds no other role\n\(bad_input\)/],
    ['a role that is held', ['grant', 'operator', operator.address, ...byAdmin], 1, /\(no_change\)/],
    ['a role that is not held', ['revoke', 'blocker', account, ...byAdmin], 1, /\(no_change\)/],
    ['an account that is not blocked', ['unblock', account, ...byAdmin], 1, /\(no_change\)/],
  ])('is not changed by a command with %s', async (_, args, code, text) => {
    const before = await net.chain.getTransactionCount({ address: admin.address });
    const refused = await change(token, args);
    expect(refused.stderr).toMatch(text);
    expect(refused.code).toBe(code);
    expect(refused.stderr + refused.stdout).not.toContain(admin.privateKey.slice(2));
    expect(await net.chain.getTransactionCount({ address: admin.address })).toBe(before);
  });

  it('is not changed without a confirmation', async () => {
    const env = net.machine(token, keys);
    const args = ['token', 'pause', '--chain', 'gnosis', '--currency', 'eur', ...byAdmin];
    const asked = await mintrail(args, env);
    expect(asked).toMatchObject({ code: 3, stderr: 'Error: Nothing was done. Confirm on a terminal, or add --yes\n(not_confirmed)\n' });
    expect(asked.stdout).toContain('on Gnosis (chain id 100): pause the token');
    expect((await mintrail([...args, '--json'], env)).stderr).toContain('--json is for programs');
    expect(await ask(token, 'paused')).toBe(false);
  });
});

describe('a token whose upgrades and allowances go through a timelock of a Safe', () => {
  const both = ['--signer', 'env:A', '--signer', 'env:B'];
  const raise = ['allowance', operator.address, '2000', '--daily-mint-limit', '600'];
  let token: Address;

  beforeAll(async () => {
    token = await net.deploy({ timelockDelay: 3_600, name: 'Timed EUR' });
  });

  it('is changed in two steps by the same command: scheduled, and carried out after the delay', async () => {
    const scheduled = await change(token, [...raise, '--propose', file('schedule'), '--signer', 'env:A']);
    expect(scheduled).toMatchObject({ code: 0, stderr: '' });
    expect(scheduled.stdout).toContain('let it wait 3600 s in the timelock 0x');
    const env = net.machine(token, keys);
    expect((await mintrail(['token', 'sign', file('schedule'), '--signer', 'env:B', '--yes'], env)).stdout).toContain('2 of 2');
    expect((await mintrail(['token', 'execute', file('schedule'), '--signer', 'env:ADMIN', '--yes'], env)).code).toBe(0);
    const shown = (await mintrail(['token', 'show', '--chain', 'gnosis'], env)).stdout;
    expect(shown).toMatch(
      new RegExp(`waiting       the operator ${operator.address} may issue 2,000.00 EURe more, and .*, in 0x\\w+ until 20\\d\\d-`),
    );
    const waiting = await change(token, [...raise, ...both]);
    expect(waiting.code).toBe(75);
    expect(waiting.stderr).toMatch(
      /The change waits in the timelock 0x\w+ until 20\d\d-.*: run the same command again then\n\(not_possible_yet\)/,
    );
    const timelock = waiting.stderr.match(/timelock (0x\w+)/)?.[1] as Address;
    const abi = timelockControllerAbi;
    const [call] = await net.chain.getContractEvents({ address: timelock, abi, eventName: 'CallScheduled', strict: true, fromBlock: 0n });
    const [salted] = await net.chain.getContractEvents({ address: timelock, abi, eventName: 'CallSalt', strict: true, fromBlock: 0n });
    const { target, value, data, predecessor } = (call as NonNullable<typeof call>).args;
    const args = [target, value, data, predecessor, salted?.args.salt ?? zeroHash] as const;
    const early = net.chain.simulateContract({ account: net.safe, address: timelock, abi, functionName: 'execute', args });
    await expect(early).rejects.toThrow('TimelockUnexpectedOperationState');
    // The operator goes on issuing, so the allowance is another one when the delay is over.
    const item = { sequence: 0n, orderId: '1'.repeat(32), account, amount: minorUnits(100_50n) };
    await transact(net.chain, { from: operator, to: token, data: encodeIssue([item]) });
    await net.chain.increaseTime({ seconds: 3_600 });
    await net.chain.mine({ blocks: 1 });
    const done = await change(token, [...raise, ...both]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('carry out what has waited in the timelock');
    expect((await mintrail(['token', 'show', '--chain', 'gnosis'], env)).stdout).not.toContain('waiting');
    expect(await ask(token, 'mintAllowance', [operator.address])).toBe(parseUnits('1899.5', 18));
    expect(await ask(token, 'dailyMintLimit', [operator.address])).toBe(parseUnits('600', 18));
  });

  it('is changed anew where what was scheduled is out of date, because the allowance was raised meanwhile', async () => {
    const lower = ['allowance', operator.address, '1000', ...both, '--json'];
    const higher = ['allowance', operator.address, '3000', ...both, '--json'];
    const stepOf = async (args: string[]) =>
      (JSON.parse((await change(token, args)).stdout) as { timelock: { step: string } }).timelock.step;
    expect(await stepOf(lower)).toBe('schedule');
    expect(await stepOf(higher)).toBe('schedule');
    await net.chain.increaseTime({ seconds: 3_600 });
    await net.chain.mine({ blocks: 1 });
    expect(await stepOf(higher)).toBe('execute');
    expect(await ask(token, 'mintAllowance', [operator.address])).toBe(parseUnits('3000', 18));
    expect(await stepOf(lower)).toBe('schedule');
  });

  it('is paused, and an operator is revoked, by the Safe at once', async () => {
    expect((await change(token, ['pause', ...both])).stdout).toContain('Done: ');
    expect((await change(token, ['revoke', 'operator', operator.address, ...both])).stdout).toContain('Done: ');
    expect(await ask(token, 'mintAllowance', [operator.address])).toBe(0n);
  });

  it('has roles that only the timelock holds and grants, by who may propose there', async () => {
    for (const role of timelockRoles) expect(await holds(token, role, net.safe)).toBe(false);
    const other = await change(token, ['grant', 'allowance', account, '--signer', 'env:BLOCKER']);
    expect(other.stderr).toMatch(
      /cannot use the role proposer of the timelock 0x\w+\. It is needed, and held by: 0x\w+, a Safe of which 2 of these owners must sign/,
    );
    const scheduled = await change(token, ['grant', 'allowance', account, ...both, '--json']);
    expect(JSON.parse(scheduled.stdout)).toMatchObject({ account: net.safe, timelock: { step: 'schedule' } });
    expect(await holds(token, 'ALLOWANCE_ROLE', account)).toBe(false);
  });

  it('is blocked by a key that has the role, without its Safe', async () => {
    expect((await change(token, ['block', account, '--signer', 'env:BLOCKER'])).stdout).toContain(`by          ${blocker.address}`);
    expect(await ask(token, 'blocked', [account])).toBe(true);
  });
});
