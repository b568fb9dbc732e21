import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreateSafeOptions, createSafeOnce, type SafeIntention } from '../../../src/cli/safe/creation.ts';
import { fundedAccount, startLocalChain } from '../../support/chain/local-chain.ts';
import { createSafe, deploySafeSuite, executeWithSafe } from '../../support/chain/safe.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const deployer = fundedAccount(4);
const owners = [fundedAccount(1), fundedAccount(2), fundedAccount(3)] as const;
const addresses = owners.map(({ address }) => address);
const setup: CreateSafeOptions = { chain: 'gnosis', owner: addresses, threshold: 2 };

const chain = forWholeFile(() => startLocalChain({ chainId: 100, blockTime: 0.2 }));
/** The same chain through a node that is no Anvil. */
let node: Server;

beforeAll(async () => {
  node = createServer((request, response) => {
    void forward(request, chain.url).then((body) => response.end(body));
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  node?.close();
});

const environment = (changed: Record<string, string> = {}) => ({
  MINTRAIL_ENVIRONMENT: 'sandbox',
  GNOSIS_RPC_URLS: chain.url,
  GNOSIS_DEPLOYER: deployer.privateKey,
  ...changed,
});
const create = (...args: string[]) =>
  mintrail(['safe', 'create', '--chain', 'gnosis', ...addresses.flatMap((owner) => ['--owner', owner]), ...args], environment());
const nonce = () => chain.getTransactionCount({ address: deployer.address });

describe('mintrail safe create', () => {
  let safe: Address;

  it('says plainly that a chain has no contracts of Safe, and which endpoint says so', async () => {
    const { port } = node.address() as AddressInfo;
    const env = environment({ GNOSIS_RPC_URLS: `http://user:secret@127.0.0.1:${port}/key` });
    const refused = await createSafeOnce(setup, env, async () => {}).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'not_possible', retryable: false });
    expect(String(refused)).toContain(
      `Gnosis has no contracts of Safe: the endpoint http://127.0.0.1:${port} serves its chain id 100, and has no contract at 0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67`,
    );
    expect(String(refused)).not.toMatch(/secret|key\b/);
  });

  it('asks before it sends, on a local chain before it deploys the contracts of Safe too', async () => {
    const { code, stdout, stderr } = await create('--threshold', '2');
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('(not_confirmed)') as string });
    expect(stdout).toContain(
      `The endpoint ${chain.url} is a local chain (Anvil), so they will be deployed at their canonical addresses first.`,
    );
    expect(await nonce()).toBe(0);
  });

  it('creates a Safe that its owners use, and names the next step', async () => {
    const { code, stdout, stderr } = await create('--threshold', '2', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    safe = /Safe +(0x\w{40}) will be created/.exec(stdout)?.[1] as Address;
    for (const owner of addresses) expect(stdout).toContain(`owner      ${owner}\n`);
    expect(stdout).toContain('threshold  2 of 3 must sign\n');
    expect(stdout).toContain(`payer      ${deployer.address}, which gets no right in the Safe\n`);
    expect(stdout).toContain('The Safe is created, with these owners.');
    expect(stdout).toContain(`mintrail token deploy --chain gnosis --currency eur --admin ${safe} --operator 0xSIGNER`);
    const suite = await deploySafeSuite(chain, chain.url, '1.4.1');
    await executeWithSafe(chain, suite, safe, [owners[0], owners[1]], { to: deployer.address, data: '0x' });
  });

  it('creates no second one, whatever the order of the owners, and another one for another salt', async () => {
    const before = await nonce();
    const again = await createSafeOnce({ ...setup, owner: addresses.toReversed() }, environment(), async () => {});
    expect(again).toMatchObject({ address: safe, created: false, safe: { threshold: 2, nonce: 1 } });
    expect(await nonce()).toBe(before);
    const intentions: SafeIntention[] = [];
    const stop = createSafeOnce({ ...setup, salt: 1n }, environment(), (intention) => {
      intentions.push(intention);
      throw new Error('stopped');
    });
    await expect(stop).rejects.toThrow('stopped');
    expect(intentions).toMatchObject([{ step: 'create', payer: deployer.address, exists: undefined }]);
    expect((intentions[0] as { address: Address }).address).not.toBe(safe);
  });

  it.each<[string[], RegExp]>([
    [['--threshold', '4'], /--threshold 4 is more than the 3 owners that are named/],
    [['--threshold', '2', '--owner', `0x${'0'.repeat(40)}`], /nobody can sign for an --owner that is named/],
    [['--threshold', '0'], /It must be a whole number from 1 to 50/],
    [['--threshold', '1', '--owner', addresses[0] as string], /an --owner is named twice/],
    [[], /required option '--threshold <number>' not specified/],
  ])('does not understand %j', async (args, text) => {
    const { code, stderr } = await create(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
  });
});

describe('mintrail safe show', () => {
  it('shows owners, threshold and nonce, of any version', async () => {
    const old = await createSafe(chain, await deploySafeSuite(chain, chain.url, '1.3.0'), { owners: addresses, threshold: 3 });
    const { code, stdout } = await mintrail(['safe', 'show', old, '--chain', 'gnosis'], environment());
    expect(code).toBe(0);
    expect(stdout).toContain(`Safe       ${old}, version 1.3.0\n`);
    expect(stdout).toContain('threshold  3 of 3 must sign\n');
    for (const owner of addresses) expect(stdout).toContain(`owner      ${owner}\n`);
    expect(stdout).toContain('nonce      0, of its next transaction\n');
  });

  it('says that there is no Safe', async () => {
    const none = await mintrail(['safe', 'show', deployer.address, '--chain', 'gnosis'], environment());
    expect(none).toMatchObject({ code: 1, stderr: `Error: There is no Safe at ${deployer.address} on Gnosis\n(not_found)\n` });
  });
});

async function forward(request: AsyncIterable<unknown>, url: string): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { id, method } = JSON.parse(body) as { id: number; method: string };
  if (method === 'web3_clientVersion') return JSON.stringify({ jsonrpc: '2.0', id, result: 'Nethermind/v1.31.0' });
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return answer.text();
}
