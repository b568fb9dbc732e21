import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hexToBytes } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeChange } from '../../../src/chain/admin/token-change.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { encryptKeystore } from '../../../src/chain/signers/keystore-v3.ts';
import { tokenRoles } from '../../../src/chain/token/roles.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { quickCost } from '../../chain/signers/vectors.ts';
import { startAnvil } from '../../support/chain/anvil.ts';
import { administrators, startAdministeredChain } from '../../support/chain/administered-token.ts';
import { execute as send } from '../../support/chain/local-chain.ts';
import { executeWithSafe } from '../../support/chain/safe.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { until } from '../../support/until.ts';
import { testFolder } from '../../support/test-folder.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const { owners, operator, blocker, payer } = administrators;
const keys = {
  A: owners[0].privateKey,
  B: owners[1].privateKey,
  C: owners[2].privateKey,
  BLOCKER: blocker.privateKey,
  PAYER: payer.privateKey,
  OPERATOR: operator.privateKey,
};
const account = `0x${'c'.repeat(40)}` as const;

/** A file of Safe's Transaction Builder, as far as it is compared. */
interface SafeBatch {
  meta: { description: string };
  transactions: [{ to: `0x${string}`; data: `0x${string}` }];
}

const net = forWholeFile(startAdministeredChain);
let token: `0x${string}`;
let env: Record<string, string>;
const folder = testFolder();

beforeAll(async () => {
  token = await net.deploy();
  env = net.machine(token, keys);
});

const file = (name: string) => path.join(folder, name);
const ask = (functionName: string, args: readonly unknown[] = []) => net.ask(token, functionName, args);
const change = (args: string[], changed: Record<string, string> = {}) =>
  mintrail(['token', ...args, '--chain', 'gnosis', '--currency', 'eur', '--yes'], { ...env, ...changed });
const sign = (name: string, owner: string, changed: Record<string, string> = {}) =>
  mintrail(['token', 'sign', file(name), '--signer', `env:${owner}`, '--yes'], { ...env, ...changed });
const execute = (names: string[], by = 'PAYER', changed: Record<string, string> = {}) =>
  mintrail(['token', 'execute', ...names.map(file), '--signer', `env:${by}`, '--yes'], { ...env, ...changed });
const failure = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => ({
  code,
  stdout,
  stderr: stderr.trim(),
});

/** Copies of one proposal on two machines. */
async function proposed(name: string, args: string[]): Promise<void> {
  expect(failure(await change([...args, '--propose', file(`${name}-a`)]))).toMatchObject({ code: 0, stderr: '' });
  copyFileSync(file(`${name}-a`), file(`${name}-b`));
}

describe('a token that a 2-of-3 Safe administers', () => {
  it('gets an allowance that two owners sign on machines of their own and anybody sends', async () => {
    const proposal = await change([
      'allowance',
      operator.address,
      '5000000.00',
      '--daily-mint-limit',
      '1000000',
      '--propose',
      file('raise-a'),
    ]);
    expect(failure(proposal)).toMatchObject({ code: 0, stderr: '' });
    expect(proposal.stdout).toContain(
      `the operator ${operator.address} may issue 5,000,000.00 EURe more, and 1,000,000.00 EURe a day; it may issue 1,000.50 EURe now, and what it issues of that before the change is taken off`,
    );
    expect(proposal.stdout).toContain(`0 of 2 signatures of the Safe ${net.safe}`);
    copyFileSync(file('raise-a'), file('raise-b'));
    const shown = await sign('raise-a', 'A');
    expect(failure(shown)).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(
      `change      EURe ${token} on Gnosis (chain id 100): the operator ${operator.address} may issue 5,000,000.00 EURe more`,
    );
    expect(shown.stdout).toContain('has 1 of 2 signatures.');
    expect((await execute(['raise-a'])).stderr).toContain(
      `1 of 2 signatures are there. These owners have not signed: ${owners[1].address}, ${owners[2].address}`,
    );
    const keystore = file('owner-b.json');
    writeFileSync(keystore, await encryptKeystore(hexToBytes(owners[1].privateKey), lowerAddress(owners[1].address), 'secret', quickCost));
    writeFileSync(file('password'), 'secret\n');
    const args = [
      'token',
      'sign',
      file('raise-b'),
      '--signer',
      `keystore:${keystore}`,
      '--password-file',
      file('password'),
      '--yes',
      '--json',
    ];
    const second = await mintrail(args, { ...env, A: '', B: '', C: '', MINTRAIL_ENVIRONMENT: 'production' });
    expect(JSON.parse(second.stdout)).toMatchObject({ signatures: 1, threshold: 2 });
    const executed = await execute(['raise-a', 'raise-b']);
    expect(failure(executed)).toMatchObject({ code: 0, stderr: '' });
    expect(executed.stdout).toContain('Done: https://gnosisscan.io/tx/0x');
    const show = await mintrail(['token', 'show', '--chain', 'gnosis'], env);
    expect(show.stdout).toContain(
      `operator      ${operator.address}, may issue 5,000,000.00 EURe more, 1,000,000.00 EURe a day, 1,000,000.00 EURe now`,
    );
  });

  it('is not changed again by a proposal that was executed, which names its transaction', async () => {
    const before = await net.chain.getTransactionCount({ address: payer.address });
    const again = await mintrail(['token', 'execute', file('raise-a'), file('raise-b'), '--signer', 'env:PAYER', '--yes', '--json'], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ isNew: false, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string });
    const { transaction } = JSON.parse(again.stdout) as { transaction: string };
    const late = await sign('raise-a', 'C');
    expect(failure(late)).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: This was executed in https://gnosisscan.io/tx/${transaction}: no signature is needed\n(not_possible)`,
    });
    expect(await net.chain.getTransactionCount({ address: payer.address })).toBe(before);
  });

  it('is changed at once where enough owners sign on one machine', async () => {
    const paused = await change(['pause', '--signer', 'env:A', '--signer', 'env:B']);
    expect(failure(paused)).toMatchObject({ code: 0, stderr: '' });
    expect(await ask('paused')).toBe(true);
    expect((await mintrail(['token', 'show', '--chain', 'gnosis'], env)).stdout).toContain('paused        YES');
    expect(failure(await change(['pause', '--signer', 'env:A', '--signer', 'env:B'])).stderr).toBe(
      'Error: Nothing was done: the token is paused already\n(no_change)',
    );
    expect(failure(await change(['unpause', '--signer', 'env:A'])).stderr).toContain('(signatures_missing)');
    expect(failure(await change(['unpause', '--signer', 'env:A', '--propose', file('unpause')])).code).toBe(0);
    expect((await sign('unpause', 'C')).stdout).toContain('has 2 of 2 signatures.');
    expect((await execute(['unpause'])).code).toBe(0);
    expect(await ask('paused')).toBe(false);
  });

  it('is changed by the first of two proposals with one nonce; the other says so and is never sent', async () => {
    await proposed('grant', ['grant', 'blocker', account]);
    await proposed('block', ['block', account]);
    for (const owner of ['A', 'B']) for (const name of ['grant-a', 'block-a']) expect((await sign(name, owner)).code).toBe(0);
    expect((await execute(['grant-a'])).code).toBe(0);
    expect(await ask('hasRole', [tokenRoles.BLOCKER_ROLE, account])).toBe(true);
    const late = await execute(['block-a']);
    expect(late.stderr).toMatch(/has used the nonce \d+; its next is \d+\. No execution of this proposal was found/);
    expect(late.stderr).toContain('(not_possible)');
    expect(await ask('blocked', [account])).toBe(false);
  });

  it("is changed by a file for Safe's own application, which has the call that was shown", async () => {
    const made = await change(['grant', 'pauser', account, '--safe-json', file('batch')]);
    expect(failure(made)).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('give the role pauser to 0x');
    expect(made.stdout).toContain(
      `an owner of the Safe ${net.safe} drops it into the app Transaction Builder there, and 2 of 3 owners sign it`,
    );
    const { meta, ...batch } = JSON.parse(readFileSync(file('batch'), 'utf8')) as SafeBatch;
    expect(batch).toMatchObject({ version: '1.0', chainId: '100', transactions: [{ to: token, value: '0' }] });
    expect(meta).toMatchObject({
      createdFromSafeAddress: net.safe,
      description: expect.stringContaining('give the role pauser') as string,
    });
    const [{ to, data }] = batch.transactions;
    // Shortened, the call of a file that somebody exchanged could look the same.
    expect(made.stdout).toMatch(new RegExp(`^to +${to}\ndata +${data}\nsafeTxHash +0x[0-9a-f]{64}, as .* nonce \\d+$`, 'm'));
    await executeWithSafe(net.chain, net.suite, net.safe, [owners[0], owners[1]], { to, data });
    expect(await ask('hasRole', [tokenRoles.PAUSER_ROLE, account])).toBe(true);
    expect(failure(await change(['revoke', 'pauser', account, '--safe-json', file('batch')])).stderr).toContain(
      'exists already: choose another name',
    );
    const both = await change(['revoke', 'pauser', account, '--safe-json', file('batch2'), '--signer', 'env:A']);
    expect(failure(both)).toMatchObject({ code: 2, stderr: expect.stringContaining('leave --signer out, or add --propose') as string });
    await executeWithSafe(net.chain, net.suite, net.safe, [owners[0], owners[1]], {
      to,
      data: encodeChange({ kind: 'revoke', role: 'PAUSER_ROLE', account }),
    });
  });

  it('is not changed by an extra signature, a stranger, or copies of different proposals', async () => {
    await proposed('block2', ['block', account]);
    await proposed('revoke', ['revoke', 'blocker', account]);
    expect(failure(await sign('block2-a', 'BLOCKER')).stderr).toContain(
      `${blocker.address.toLowerCase()} is no owner of the Safe ${net.safe}`,
    );
    for (const owner of ['A', 'A', 'B', 'C']) expect((await sign('block2-a', owner)).code).toBe(0);
    expect((JSON.parse(readFileSync(file('block2-a'), 'utf8')) as { signatures: unknown[] }).signatures).toHaveLength(3);
    expect((await execute(['block2-a', 'revoke-a'])).stderr).toContain('is another proposal than');
    expect((await execute(['block2-a'], 'OPERATOR')).stderr).toContain('is an operator of the token, whose worker owns its nonces');
    expect((await execute(['block2-a'])).code).toBe(0);
    expect(await ask('blocked', [account])).toBe(true);
  });

  it('is changed once, however often and by whomever it is sent', async () => {
    await proposed('unblock', ['unblock', account]);
    for (const owner of ['A', 'B']) await sign('unblock-a', owner);
    await net.mine(false);
    const first = execute(['unblock-a']);
    await until('it is sent', async () => (await pendingOf(payer.address)) > 0 || undefined);
    expect((await execute(['unblock-a'])).stderr).toContain('not mined yet');
    const second = execute(['unblock-a'], 'C');
    await until('it is sent by another too', async () => (await pendingOf(owners[2].address)) > 0 || undefined);
    await net.mine(true);
    const outcomes = await Promise.all([first, second]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(outcomes.map(({ stdout }) => /This was executed before|Done/.exec(stdout)?.[0]))).toEqual(
      new Set(['Done', 'This was executed before']),
    );
    expect(await ask('blocked', [account])).toBe(false);
  });

  describe('takes nothing from a file that was altered or is for another machine:', () => {
    beforeAll(() => proposed('tampered', ['block', account]));

    it('another account under the same words', async () => {
      const text = readFileSync(file('tampered-a'), 'utf8');
      writeFileSync(
        file('altered'),
        text
          .replace(`${'c'.repeat(40)}","operation`, `${'d'.repeat(40)}","operation`)
          .replaceAll(/"data": "0x(.{32})c+/g, `"data": "0x$1${'d'.repeat(40)}`),
      );
      expect(failure(await sign('altered', 'A'))).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('(proposal_mismatch)') as string,
      });
      expect(readFileSync(file('altered'), 'utf8')).not.toContain('"signer"');
    });

    it('another token than this machine knows', async () => {
      const other = await sign('tampered-a', 'A', { GNOSIS_TOKENS: `eur:0x${'e'.repeat(40)}` });
      expect(other.stderr).toContain(`The proposal changes the token ${token}, and GNOSIS_TOKENS on this machine names 0xeeee`);
    });

    it('a network that this machine does not have', async () => {
      expect((await sign('tampered-a', 'A', { GNOSIS_TOKENS: '' })).stderr).toContain('The network gnosis is not configured');
    });

    it('an endpoint of another chain', async () => {
      const foreign = await startAnvil({ chainId: 1 });
      for (const attempt of [
        sign('tampered-a', 'A', { GNOSIS_RPC_URLS: foreign.url }),
        execute(['tampered-a'], 'PAYER', { GNOSIS_RPC_URLS: foreign.url }),
      ])
        expect((await attempt).stderr).toContain('(wrong_chain)');
      await foreign.stop();
    });

    it('no answer of the chain, unless it is signed offline', async () => {
      const silent = { GNOSIS_RPC_URLS: 'http://user:passw0rd@127.0.0.1:1' };
      const outage = await sign('tampered-a', 'A', silent);
      expect(outage).toMatchObject({ code: 75, stderr: expect.stringContaining('(rpc_unreachable)') as string });
      expect(outage.stderr).not.toContain('passw0rd');
      const offline = await mintrail(['token', 'sign', file('tampered-b'), '--signer', 'env:B', '--offline', '--yes'], {
        ...env,
        GNOSIS_RPC_URLS: '',
      });
      expect(offline.stdout).toContain('this was not compared with the chain');
      expect((await sign('tampered-b', 'C')).stdout).toContain('has 2 of 2 signatures.');
    });

    it('a change that the token refuses meanwhile', async () => {
      expect((await change(['grant', 'pauser', blocker.address, '--signer', 'env:A', '--signer', 'env:B'])).code).toBe(0);
      await proposed('pause', ['pause']);
      for (const owner of ['A', 'B']) await sign('pause-a', owner);
      await send(net.chain, token, eMoneyTokenAbi, 'pause', [], { from: blocker });
      for (const attempt of [execute(['pause-a']), sign('pause-b', 'C')])
        expect((await attempt).stderr).toMatch(
          /would be refused: the token is paused\. Its admin resumes it: `mintrail token unpause --chain gnosis --currency eur`\n\(refused_by_contract\)/,
        );
    });
  });
});

async function pendingOf(address: `0x${string}`): Promise<number> {
  const [pending, mined] = await Promise.all([
    net.chain.getTransactionCount({ address, blockTag: 'pending' }),
    net.chain.getTransactionCount({ address, blockTag: 'latest' }),
  ]);
  return pending - mined;
}
