import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createPublicClient, getAddress, hashMessage, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { openImpersonatedSafe } from '../../sandbox/demo/impersonated-safe.ts';
import { planForks } from '../../sandbox/fork/plan-forks.ts';
import type { SandboxFile, SandboxFileChain } from '../../src/cli/running-sandbox.ts';
import { createClient, linkMessage, linkMessageFor } from '../../client/index.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { providerKey } from '../support/chain/provider.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { until } from '../support/until.ts';
import { openIban } from './customers.ts';
import { expectReconciled } from './expect-reconciled.ts';
import { type LiveNetwork, startLiveNetwork } from './live-network.ts';
import { createSandboxRun, type SandboxRun } from './sandbox-run.ts';

/** What an upstream is asked until the service is ready, with room for a block more or less: less than a provider's limit of ten seconds. */
const mostCalls = 150;

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

describe('npm start -- --fork', () => {
  let live: LiveNetwork;
  let run: SandboxRun;
  let file: SandboxFile;

  beforeAll(async () => {
    live = await startLiveNetwork();
    run = await createSandboxRun(['--fork', `gnosis=${live.provider.url}`, '--token', `eur=${live.token}`, '--only-forks']);
  });
  afterAll(async () => {
    await run?.stop();
    run?.remove();
    await live?.stop();
  });

  const gnosis = () => file.chains['gnosis'] as SandboxFileChain;
  const rpc = () => createPublicClient({ transport: http(gnosis().rpcUrl), cacheTime: 0 });
  const client = () => createClient({ baseUrl: file.apiUrl, ...file.applications.private });
  const cli = (...args: string[]) => mintrail(args, { MINTRAIL_DATA_DIR: run.dataDir });
  const supply = () => rpc().readContract({ address: live.token, abi: eMoneyTokenAbi, functionName: 'totalSupply' });

  it('refuses what cannot be forked before it makes anything, and shows no key', async () => {
    const dataDir = path.join(run.dataDir, 'unused');
    const url = live.provider.url;
    const planned = (request: object) =>
      planForks({ dataDir, fresh: true, requests: [{ chain: 'gnosis', url, tokens: {}, ...request }] }).catch((error: Error) => error);
    const refusals = [
      [{ chain: 'ethereum' }, 'wrong_chain', 'serves the chain with id 100: ethereum has the id 1'],
      [{ block: live.head + 1 }, 'bad_input', `beyond the head of ${live.provider.host}, which is ${live.head}`],
      [{ tokens: { eur: live.safes[0] } }, 'bad_input', 'its code is not that of this release'],
      [{ tokens: { gbp: live.token } }, 'bad_input', 'it is a token of EUR'],
      [{ tokens: { eur: fundedAccount(9).address } }, 'bad_input', 'there is no contract'],
      [{ url: url.replace(providerKey, 'wrong') }, 'upstream_unavailable', `${live.provider.host}, refuses the requests (HTTP 401)`],
    ] as const;
    for (const [request, code, text] of refusals) {
      const error = await planned(request);
      expect(error).toMatchObject({ code, message: expect.stringContaining(text) as string });
      expect((error as Error).message).not.toContain(providerKey);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  it('goes on from the live state, within the limit of its provider', async () => {
    live.provider.calls.length = 0;
    file = await run.start();
    expect(live.provider.calls.length).toBeLessThan(mostCalls);
    expect(Object.keys(file.chains)).toEqual(['gnosis']);
    const { chainId, fork, tokens } = gnosis();
    expect({ chainId, block: fork?.block }).toEqual({ chainId: 100, block: live.head - 8 });
    expect(tokens).toMatchObject({ eur: getAddress(live.token), gbp: expect.stringMatching(/^0x/) as string });
    expect(await rpc().getChainId()).toBe(100);
    expect(await supply()).toBe(3_000n * 10n ** 18n);
  });

  it('asks the live network for no block and no log', () => {
    const asked = live.provider.calls.filter((call) => /eth_getLogs|eth_getBlock/.test(call));
    expect(asked.filter((call) => !call.includes(`"0x${(live.head - 8).toString(16)}"`))).toEqual([]);
  });

  it('opens the books with the supply of the live network, and names it', async () => {
    await expectReconciled(run.dataDir);
    const opening = '3000.00 eur of the token';
    expect((await cli('reconcile')).stdout).toContain(`opening: ${opening}`);
    expect((await cli('status')).stdout).toContain(`opening: ${opening}`);
  });

  it('shows the whole demo, when an IBAN leads to an address that is no longer linked, with a Safe of the live network, whose owners are impersonated', async () => {
    const leadsTo = await leadElsewhere();
    const [safe] = live.safes;
    const { code, stdout, stderr } = await cli('demo', '--safe', safe);
    expect(code, stderr).toBe(0);
    expect(stdout.match(/^ {3}order .* is processed after/gm)).toHaveLength(9);
    expect(stdout).toMatch(new RegExp(`leads to +${leadsTo} on gnosis`));
    expect(stdout).toContain(`The Safe ${safe} of gnosis`);
    expect(stdout).toMatch(/balance {9}1030\.00 eur by the API, 1030000000000000000000 token units by the chain/);
    expect(stdout).toMatch(/event {11}order\.updated/);
    await expectReconciled(run.dataDir);
  });

  it('lets a Safe of another version sign, too', async () => {
    const safe = await openImpersonatedSafe(file, 'gnosis', live.safes[1]);
    const args = [hashMessage(linkMessage), await safe.sign(linkMessage)] as const;
    const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
    expect(await rpc().readContract({ address: live.safes[1], abi, functionName: 'isValidSignature', args })).toBe('0x1626ba7e');
  });

  it('goes on without its live network, from the block that it was pinned to', async () => {
    const iban = (await client().get('/ibans')).ibans[0]!.iban;
    const before = { head: await rpc().getBlockNumber(), supply: await supply() };
    await run.stop();
    expect(run.output()).toMatch(/\nStopped\.\n$/);
    live.provider.goAway();
    file = await run.start();
    expect(gnosis().fork?.block).toBe(live.head - 8);
    expect(await rpc().getBlockNumber()).toBeGreaterThanOrEqual(before.head);
    expect(await supply()).toBe(before.supply);
    const remittance = `gnosis:${file.accounts[0]?.address}`;
    const { order } = await client().post('/sandbox/credits', { body: { iban, amount: '7.00', currency: 'eur', payer, remittance } });
    await until('the credit is issued', async () => ((await stateOf(order?.id as string)) === 'processed' ? true : undefined));
    expect(await supply()).toBe(before.supply + 7n * 10n ** 18n);
    await expectReconciled(run.dataDir);
  });

  it('says in `status` which live network is gone when it is needed, and answers nothing false', async () => {
    const stranger = fundedAccount(9).address;
    const signature = await fundedAccount(9).signMessage({ message: linkMessage });
    await client().post('/addresses', { body: { address: stranger, chain: 'gnosis', message: linkMessage, signature } });
    const answer = await client()
      .get('/balances/{chain}/{address}', { path: { chain: 'gnosis', address: stranger }, query: { currency: ['eur'] } })
      .catch((error: unknown) => error);
    expect(answer).toMatchObject({ status: 503 });
    const { code, stdout } = await until('status names it', async () => {
      const status = await cli('status');
      return status.stdout.includes('upstream_unavailable') ? status : undefined;
    });
    expect(code).toBe(1);
    expect(stdout).toContain(`The upstream of the fork of gnosis, ${live.provider.host}, cannot be reached (ECONNRESET)`);
    const logs = path.join(run.dataDir, 'logs');
    const texts = readdirSync(logs).map((name) => readFileSync(path.join(logs, name), 'utf8'));
    for (const text of [stdout, ...texts]) expect(text).not.toContain(providerKey);
  });

  /** Opens an IBAN for an address of which the wallet's owner then proves that it is another customer's. Returns the address. */
  async function leadElsewhere(): Promise<string> {
    const wallet = privateKeyToAccount(generatePrivateKey());
    const account = { address: wallet.address, chain: 'gnosis' } as const;
    const signature = await wallet.signMessage({ message: linkMessage });
    await client().post('/addresses', { body: { ...account, message: linkMessage, signature } });
    const iban = await openIban(client(), account.address, account.chain);
    const partner = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
    const { id: profile } = await partner.post('/profiles', { body: { kind: 'personal' } });
    const message = linkMessageFor({ ...account, baseUrl: file.apiUrl, profile });
    await partner.post('/addresses', { body: { ...account, profile, message, signature: await wallet.signMessage({ message }) } });
    expect((await client().get('/ibans')).ibans).toContainEqual(expect.objectContaining({ iban, ...account, linked: false }));
    return account.address;
  }

  async function stateOf(orderId: string): Promise<string> {
    return (await client().get('/orders/{orderId}', { path: { orderId } })).state;
  }
});
