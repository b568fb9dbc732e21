import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Address, type Hex, keccak256, pad } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenBytecode } from '../../../abis/bytecode.ts';
import { readImplementationCode } from '../../../src/chain/admin/implementation-code.ts';
import { tokenRoles } from '../../../src/chain/token/roles.ts';
import { administrators, startAdministeredChain } from '../../support/chain/administered-token.ts';
import { transact } from '../../support/chain/local-chain.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testFolder } from '../../support/test-folder.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const { owners, operator, payer } = administrators;
const keys = { A: owners[0].privateKey, B: owners[1].privateKey, PAYER: payer.privateKey };
const otherHash: Hex = `0x${'7'.repeat(64)}`;

const net = forWholeFile(startAdministeredChain);
let token: Address;
let malicious: { address: Address; hash: Hex };
const folder = testFolder();
const file = (name: string) => path.join(folder, name);

beforeAll(async () => {
  token = await net.deploy();
  // The code of this release, except that operators set their own allowance. It passes every check of an implementation and the simulation.
  const address = await deploy(
    eMoneyTokenBytecode.replaceAll(tokenRoles.ALLOWANCE_ROLE.slice(2), tokenRoles.OPERATOR_ROLE.slice(2)) as Hex,
  );
  malicious = { address, hash: keccak256((await net.chain.getCode({ address })) as Hex) };
});

const run = (args: string[], changed: Record<string, string> = {}) =>
  mintrail(['token', ...args, '--yes'], { ...net.machine(token, keys), ...changed });
const upgrade = (...args: string[]) => run(['upgrade', ...args, '--chain', 'gnosis', '--currency', 'eur']);
const sign = (name: string, owner: string, ...args: string[]) => run(['sign', file(name), '--signer', `env:${owner}`, ...args]);
const verify = (address: Address, ...args: string[]) =>
  mintrail(['token', 'verify', '--chain', 'gnosis', '--currency', 'eur', ...args], net.machine(address));
const execute = (name: string, ...args: string[]) => run(['execute', file(name), '--signer', 'env:PAYER', ...args]);
const signaturesIn = (name: string) => (JSON.parse(readFileSync(file(name), 'utf8')) as { signatures: unknown[] }).signatures.length;
const implementation = async () =>
  (await mintrail(['token', 'show', '--chain', 'gnosis'], net.machine(token))).stdout.match(/code {10}(0x\w+)/)?.[1]?.toLowerCase();

describe('a proposal to put in code that this release does not know', () => {
  beforeAll(async () => {
    const proposed = await upgrade(malicious.address, '--propose', file('malicious'));
    expect(proposed).toMatchObject({ code: 0, stderr: '' });
    expect(proposed.stdout).toContain(`code hash   ${malicious.hash}`);
  });

  it('is shown with the hash of the code, and signed by nobody who does not name that hash', async () => {
    const blind = await sign('malicious', 'A');
    expect(blind.stdout).toContain(`code hash   ${malicious.hash}\nnote        it is NOT the code of this release of Mintrail`);
    expect(blind.stderr).toContain('this release does not know the code');
    const other = await sign('malicious', 'A', '--code-hash', otherHash);
    expect(other.stderr).toContain(`is ${malicious.hash}, and not ${otherHash}`);
    for (const refused of [blind, other])
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^Error: Nothing was signed or sent: .*\n\(not_possible\)\n$/) as string,
      });
    expect((await sign('malicious', 'A', '--code-hash', '0x12')).stderr).toContain('It must be a hash');
    expect(signaturesIn('malicious')).toBe(0);
  });

  it('is not signed offline, where the code is not seen, whatever hash is named', async () => {
    for (const args of [[], ['--code-hash', malicious.hash]])
      expect((await sign('malicious', 'A', '--offline', ...args)).stderr).toMatch(/leave --offline out\n\(not_possible\)/);
    expect(signaturesIn('malicious')).toBe(0);
  });

  it('is not signed by the command that proposes it either', async () => {
    const both = ['--signer', 'env:A', '--signer', 'env:B'];
    expect((await upgrade(malicious.address, ...both)).stderr).toContain('Nothing was signed or sent');
    expect((await upgrade(malicious.address, '--propose', file('refused'), ...both)).stderr).toContain('Nothing was signed or sent');
    expect(() => readFileSync(file('refused'))).toThrow('ENOENT');
  });

  it('is signed and sent by whoever names the hash, each time', async () => {
    copyFileSync(file('malicious'), file('reviewed'));
    const accepted = ['--code-hash', malicious.hash.toUpperCase().replace('0X', '0x')];
    for (const owner of ['A', 'B']) expect(await sign('reviewed', owner, ...accepted)).toMatchObject({ code: 0, stderr: '' });
    const blind = await execute('reviewed');
    expect(blind.stdout).toContain(`code hash   ${malicious.hash}`);
    expect(blind.stderr).toContain('Nothing was signed or sent');
    expect(await implementation()).not.toBe(malicious.address.toLowerCase());
    expect(await execute('reviewed', ...accepted)).toMatchObject({ code: 0, stderr: '' });
    expect(await implementation()).toBe(malicious.address.toLowerCase());
    expect((await execute('reviewed')).stdout).toContain('This was executed before');
  });
});

describe('mintrail token verify', () => {
  it('ends with 0 for a token of this release, whose proxy, code and timelock are the same', async () => {
    const timed = await net.deploy({ timelockDelay: 3_600, name: 'Timed EUR' });
    const { code, stdout, stderr } = await verify(timed);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`as ${net.anvil.url} says:\nproxy           ${timed}  the same\n`);
    expect(stdout).toMatch(/implementation {2}0x\w{40} {2}the same\n {2}on the chain {2}(0x\w{64})\n {2}this release {2}\1\n/);
    expect(stdout).toMatch(/timelock {8}0x\w{40} {2}the same\n/);
    expect(stdout).toContain('All of it is the code of this release of Mintrail.');
  });

  it('ends with 1 for a token whose code was replaced, and for an address without a contract', async () => {
    const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
    const replaced = await net.deploy({ name: 'Replaced EUR' });
    await net.chain.setStorageAt({ address: replaced, index: implementationSlot, value: pad(malicious.address) });
    const { code, stdout } = await verify(replaced, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      isOfRelease: false,
      endpoints: [
        {
          contracts: [
            { contract: 'proxy', verdict: 'the same' },
            { contract: 'implementation', verdict: 'differs', hash: malicious.hash },
          ],
        },
      ],
    });
    const none = await verify(`0x${'d'.repeat(40)}`);
    expect(none.code).toBe(1);
    expect(none.stdout).toMatch(/proxy +0xd+ {2}unknown: there is no contract\n/i);
  });
});

describe('a proposal to put in the code of this release', () => {
  it('is recognised at any address, although the code contains its own', async () => {
    const address = await deploy(eMoneyTokenBytecode);
    expect((await upgrade(address, '--propose', file('elsewhere'))).stdout).toContain('it is the code of this release of Mintrail');
    for (const owner of ['A', 'B']) {
      const signed = await sign('elsewhere', owner);
      expect(signed).toMatchObject({ code: 0, stderr: '' });
      expect(signed.stdout).toContain('it is the code of this release of Mintrail');
    }
    expect((await sign('elsewhere', 'A', '--code-hash', otherHash)).stderr).toContain('Nothing was signed or sent');
    expect((await execute('elsewhere')).code).toBe(0);
    expect(await implementation()).toBe(address.toLowerCase());
  });

  it('is signed offline at the address that follows from the code', async () => {
    expect((await upgrade('--propose', file('release'))).code).toBe(0);
    const signed = await sign('release', 'A', '--offline');
    expect(signed).toMatchObject({ code: 0, stderr: '' });
    expect(signed.stdout).toContain('it is the code of this release of Mintrail');
  });
});

it('an account that delegates to code, and can delegate to other code later, is no implementation (EIP-7702)', async () => {
  const implementation = operator.address;
  const code = `0xef0100${malicious.address.slice(2)}`;
  await net.chain.request({ method: 'anvil_setCode', params: [implementation, code] } as never);
  await expect(readImplementationCode(net.chain, { kind: 'upgrade', implementation })).rejects.toMatchObject({
    code: 'not_possible',
    message: expect.stringContaining('The token cannot be upgraded to') as string,
  });
});

async function deploy(data: Hex): Promise<Address> {
  const { contractAddress } = await transact(net.chain, { data });
  return contractAddress as Address;
}
