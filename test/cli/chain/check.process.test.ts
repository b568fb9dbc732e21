import { sql } from 'kysely';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import type { Finding } from '../../../src/chain/probes/finding.ts';
import { checkNetwork, checkOpenIssues, exitCodeOf, renderFindings, signersOf } from '../../../src/cli/chain/check.ts';
import { cliNetworks } from '../../../src/cli/cli-settings.ts';
import type { NetworkSettings } from '../../../src/platform/settings.ts';
import { createPaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import { startAnvil } from '../../support/chain/anvil.ts';
import { execute, fundedAccount, localAccount, startLocalChain } from '../../support/chain/local-chain.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { type FaultyRpc, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { type RpcLimits, startLimitedRpc } from '../../support/chain/rpc-limits.ts';
import { deployToken } from '../../support/chain/token.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const operator = fundedAccount(1);
const poor = localAccount(`0x${'7'.repeat(64)}`);

const chain = forWholeFile(() => startLocalChain({ chainId: 100, slotsInAnEpoch: 1 }));
let token: Address;
const running: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  token = await deployToken(chain, { operator: operator.address });
  await chain.mine({ blocks: 200 });
});

afterAll(async () => {
  await Promise.all(running.map((one) => one.close()));
});

interface Checked {
  code: number;
  text: string;
  findings: Finding[];
}

/** Settings that are right, but for what is given. */
const variables = (changed: Record<string, string> = {}) => ({
  MINTRAIL_ENVIRONMENT: 'sandbox',
  GNOSIS_TOKENS: `eur:${token}`,
  GNOSIS_RPC_URLS: chain.url,
  GNOSIS_SIGNERS: operator.privateKey,
  ...changed,
});

/** Checks the network gnosis, as the command does. */
async function check(changed: Record<string, string> = {}): Promise<Checked> {
  await chain.mine({ blocks: 1 });
  const { environment, networks } = cliNetworks(variables(changed));
  const findings = await checkNetwork(networks.gnosis as NetworkSettings, signersOf(networks, environment));
  return { code: exitCodeOf(findings), text: renderFindings('gnosis', findings), findings };
}

const of = ({ findings }: Checked, name: string) => findings.find(({ check }) => check === name);
const bad = ({ findings }: Checked) => findings.filter(({ level }) => level !== 'ok').map(({ check, level }) => `${check}: ${level}`);

async function limited(limits: RpcLimits): Promise<string> {
  const rpc = await startLimitedRpc(chain.url, limits);
  running.push(rpc);
  return rpc.url;
}

describe('mintrail chain check', () => {
  it('ends with 0 where all is well, and shows what it looked at', async () => {
    const checked = await check();
    expect(bad(checked)).toEqual([]);
    expect(checked.code).toBe(0);
    const checks = [
      'chain id',
      'head',
      'confirmation',
      'calls',
      'history',
      'log range',
      'archive',
      'ceiling',
      'code',
      'currency',
      'paused',
      'key',
    ];
    const ofSigner = ['gas money', 'operator of eur', 'mint allowance of eur', 'other roles of eur'];
    expect(checked.findings.map((finding) => finding.check)).toEqual([...checks, ...ofSigner]);
    expect(of(checked, 'archive')?.detail).toMatch(/^yes/);
  });

  it('compares the price of gas with the ceiling', async () => {
    const checked = await check();
    expect(of(checked, 'ceiling')?.detail).toMatch(
      /^a gas costs [\d.]+ gwei now; the ceiling is 200 gwei, and 0.9 xDAI for a transaction$/,
    );
    const price = { baseFeePerGas: 10n ** 9n };
    await chain.setNextBlockBaseFeePerGas(price);
    expect(of(await check({ GNOSIS_FEE_CEILING: '1.5' }), 'ceiling')?.level).toBe('warning');
    await chain.setNextBlockBaseFeePerGas(price);
    const low = of(await check({ GNOSIS_FEE_CEILING: '0.001' }), 'ceiling');
    expect(low).toMatchObject({ level: 'failure', remedy: expect.stringContaining('raise GNOSIS_FEE_CEILING') as string });
  });

  it('finds an endpoint of another chain, and an endpoint of another instance of the same', async () => {
    const [foreign, twin] = await Promise.all([
      startAnvil({ chainId: 1 }),
      startAnvil({ chainId: 100, args: ['--timestamp', '1700000000'] }),
    ]);
    running.push(...[foreign, twin].map((one) => ({ close: () => one.stop() })));
    const checked = await check({ GNOSIS_RPC_URLS: `${chain.url},${foreign.url},${twin.url}` });
    expect(checked.code).toBe(1);
    expect(checked.findings).toContainEqual(
      expect.objectContaining({ check: 'chain id', level: 'failure', detail: '1, but Gnosis is 100', subject: `rpc 2 ${foreign.url}` }),
    );
    expect(checked.findings).toContainEqual(
      expect.objectContaining({ check: 'same chain', level: 'failure', subject: `rpc 3 ${twin.url}` }),
    );
    // The token is looked at where the chain is the right one.
    expect(of(checked, 'code')?.level).toBe('ok');
  });

  it('finds a node that stands still', async () => {
    const old = await startAnvil({ chainId: 100, args: ['--timestamp', '1700000000'] });
    running.push({ close: () => old.stop() });
    const checked = await check({ GNOSIS_RPC_URLS: old.url });
    expect(of(checked, 'head')).toMatchObject({ level: 'failure', remedy: expect.stringContaining('caught up') as string });
    expect(checked.code).toBe(1);
  });

  it('finds the limit of a node on logs, exactly', async () => {
    const checked = await check({ GNOSIS_RPC_URLS: await limited({ logBlocks: 37 }) });
    expect(of(checked, 'log range')).toMatchObject({ level: 'warning', detail: '37 blocks: query exceeds max block range 37' });
    expect({ bad: bad(checked), code: checked.code }).toEqual({ bad: ['log range: warning'], code: 0 });
  });

  it('tells that a node is no archive, and that none is needed', async () => {
    const checked = await check({ GNOSIS_RPC_URLS: await limited({ stateBlocks: 64 }) });
    expect(of(checked, 'archive')).toMatchObject({ level: 'ok', detail: 'no, and it is not needed (missing trie node)' });
    expect(checked.code).toBe(0);
  });

  it('fails where a node has no state of the confirmed block, because signatures on chain are looked for there', async () => {
    const checked = await check({ GNOSIS_RPC_URLS: await limited({ stateBlocks: 64 }), GNOSIS_CONFIRMATIONS: '100' });
    expect(of(checked, 'calls')).toMatchObject({ level: 'failure', detail: expect.stringContaining('missing trie node') as string });
  });

  it('fails where a node keeps no history back to START_BLOCK', async () => {
    const url = await limited({ historyBlocks: 100 });
    expect(of(await check({ GNOSIS_RPC_URLS: url }), 'history')?.level).toBe('failure');
    expect(of(await check({ GNOSIS_RPC_URLS: url, GNOSIS_START_BLOCK: '150' }), 'history')?.level).toBe('ok');
    expect(of(await check({ GNOSIS_START_BLOCK: '999999' }), 'history')?.detail).toContain('the newest block');
  });

  it('fails where a node lends too little gas for signatures of contract accounts, or does not know the tag', async () => {
    const checked = await check({ GNOSIS_RPC_URLS: await limited({ gasCap: 1_000_000, tags: false }) });
    expect(of(checked, 'confirmation')).toMatchObject({
      level: 'failure',
      remedy: expect.stringContaining('GNOSIS_CONFIRMATIONS') as string,
    });
    const lends = await check({ GNOSIS_RPC_URLS: await limited({ gasCap: 1_000_000 }) });
    expect(of(lends, 'calls')?.detail).toMatch(/^9\d{5} gas for a call$/);
    expect(bad(lends)).toEqual(['calls: failure']);
  });

  it('finds a token without code, and one of another currency', async () => {
    const nobody = `0x${'d'.repeat(40)}`;
    const checked = await check({
      GNOSIS_TOKENS: `usd:${nobody},gbp:${token},isk:${chain.chain.contracts?.multicall3?.address ?? nobody}`,
    });
    expect(checked.findings).toContainEqual(
      expect.objectContaining({ subject: `token usd ${nobody}`, check: 'code', level: 'failure', detail: 'there is no contract' }),
    );
    expect(of(checked, 'currency')).toMatchObject({ level: 'failure', detail: 'EUR, EURe, 18 decimals' });
    expect(checked.code).toBe(1);
  });

  it('finds a signer without role, money and allowance, and one with too many roles', async () => {
    const checked = await check({ GNOSIS_SIGNERS: poor.privateKey });
    expect(bad(checked)).toEqual(['gas money: failure', 'operator of eur: failure', 'mint allowance of eur: failure']);
    const admin = await check({ GNOSIS_SIGNERS: fundedAccount(0).privateKey });
    expect(of(admin, 'other roles of eur')).toMatchObject({
      level: 'failure',
      detail: expect.stringMatching(/^admin, allowance, .*upgrader$/) as string,
    });
  });

  it('finds a spent mint allowance and a paused token', async () => {
    const read = { address: token, abi: eMoneyTokenAbi, functionName: 'mintAllowance', args: [operator.address] } as const;
    await execute(chain, token, eMoneyTokenAbi, 'setMintAllowance', [operator.address, await chain.readContract(read), 0n, 0n]);
    await execute(chain, token, eMoneyTokenAbi, 'pause', []);
    const checked = await check();
    await execute(chain, token, eMoneyTokenAbi, 'setMintAllowance', [operator.address, 0n, 10n ** 24n, 10n ** 24n]);
    await execute(chain, token, eMoneyTokenAbi, 'unpause', []);
    expect(bad(checked)).toEqual(['paused: warning', 'mint allowance of eur: failure']);
    expect(of(checked, 'mint allowance of eur')?.remedy).toMatch(
      /mintrail token allowance 0x\w{40} AMOUNT --daily-mint-limit AMOUNT --chain \w+ --currency eur$/,
    );
  });

  it('is not well while more waits to be issued than the signers may issue, as far as the ledger can be read', async () => {
    const world = await createPaymentsLedger();
    expect(await issueCredits(world.ledger, [creditTo(world.customer.iban, 6_000n)])).toHaveLength(1);
    await sql`update open_legs set chain = 'gnosis'`.execute(world.ledger);
    const { environment, networks } = cliNetworks(variables());
    const open = async (url: string) => {
      vi.stubEnv('DATABASE_URL', url);
      vi.stubEnv('MINTRAIL_ENVIRONMENT', 'sandbox');
      // The test runner sets it to a path.
      vi.stubEnv('BASE_URL', '');
      return checkOpenIssues(networks.gnosis as NetworkSettings, signersOf(networks, environment).gnosis ?? []);
    };
    expect(await open(world.url)).toMatchObject([{ check: 'open issues', level: 'ok', detail: '60.00 EUR wait to be issued' }]);
    const change = [operator.address, 10n ** 24n, 35n * 10n ** 18n, 10n ** 24n] as const;
    await execute(chain, token, eMoneyTokenAbi, 'setMintAllowance', change);
    expect(await open(world.url)).toMatchObject([
      { level: 'failure', detail: '60.00 EUR wait to be issued on gnosis, and its operators may issue 35.00 EUR' },
    ]);
    await execute(chain, token, eMoneyTokenAbi, 'setMintAllowance', [operator.address, 35n * 10n ** 18n, 10n ** 24n, 10n ** 24n]);
    expect(await open('postgres://127.0.0.1:1/none')).toMatchObject([{ subject: 'ledger', level: 'warning' }]);
    vi.unstubAllEnvs();
    await world.close({ isBooked: false });
  });

  // Every other fault is an outage as these are: test/chain/signatures/verify-outage.process.test.ts.
  describe('calls an outage one, and nothing wrong', () => {
    let rpc: FaultyRpc;
    beforeAll(async () => running.push((rpc = await startFaultyRpc(chain.url))));

    it.each([
      ['is down', 'refuses'],
      ['answers null', 'null'],
      ['limits requests', { error: { code: -32005, message: 'too many requests' } }],
    ] as const)('when a node %s', async (_, fault) => {
      await rpc.fail(fault);
      const checked = await check({ GNOSIS_RPC_URLS: rpc.url });
      await rpc.heal();
      expect(checked.findings.map(({ level }) => level)).not.toContain('failure');
      expect(checked.findings.map(({ level }) => level)).toContain('unknown');
      expect(checked.code).toBe(75);
    });

    it('while another endpoint serves', async () => {
      await rpc.fail('refuses');
      const checked = await check({ GNOSIS_RPC_URLS: `${rpc.url},${chain.url}` });
      await rpc.heal();
      expect({ bad: bad(checked), code: checked.code }).toEqual({ bad: ['chain id: unknown'], code: 75 });
    });
  });

  it('keeps the keys of endpoints out of what it shows', async () => {
    const { text } = await check({ GNOSIS_RPC_URLS: `${chain.url}/v3/0123456789abcdef0123,http://user:passw0rd@127.0.0.1:1/` });
    expect(text).not.toMatch(/0123456789abcdef0123|passw0rd/);
    expect(text).not.toContain(operator.privateKey.slice(2));
  });

  it('says that a raw key is no signer of production', async () => {
    expect(of(await check({ MINTRAIL_ENVIRONMENT: 'production' }), 'key')).toMatchObject({ level: 'failure' });
  });

  describe('warns of a signer that another network has too', () => {
    const unreachable = { ETHEREUM_TOKENS: `eur:0x${'e'.repeat(40)}`, ETHEREUM_RPC_URLS: 'http://127.0.0.1:1' };

    it('and says why, while the other network cannot be reached', async () => {
      const checked = await check({ ...unreachable, ETHEREUM_SIGNERS: `${poor.privateKey},${operator.privateKey}` });
      expect(of(checked, 'only here')).toMatchObject({
        subject: `signer ${operator.address.toLowerCase()}`,
        level: 'warning',
        detail: "it is a signer of ethereum too: who steals its key can burn a holder's message once on each of these networks",
      });
      expect({ bad: bad(checked), code: checked.code }).toEqual({ bad: ['only here: warning'], code: 0 });
    });

    it('and not of one that is another key', async () => {
      expect(bad(await check({ ...unreachable, ETHEREUM_SIGNERS: poor.privateKey }))).toEqual([]);
    });

    it('and names a signer of the other network that cannot be compared', async () => {
      const checked = await check({ ...unreachable, ETHEREUM_SIGNERS: 'keystore:/nonexistent', ETHEREUM_KEYSTORE_PASSWORD: 'x' });
      expect(of(checked, 'only here')).toMatchObject({ subject: 'signer 1 of ethereum', level: 'warning' });
      expect(checked.code).toBe(0);
    });
  });

  it('shows every finding with its remedy, and ends with the code that fits', async () => {
    const { code, stdout } = await mintrail(['chain', 'check', 'gnosis'], variables({ GNOSIS_SIGNERS: poor.privateKey }));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^gnosis rpc 1 http:\/\/127\.0\.0\.1:\d+\n {2}ok +chain id +100\n/);
    expect(stdout).toMatch(
      /FAILURE +operator of eur +no\n +→ let the token's admin grant it: mintrail token grant operator 0x\w+ --chain \w+ --currency eur\n/,
    );
    expect(stdout).toMatch(/\ngnosis: failure: 3\n$/);
  });

  it('names a network that is not set, and one that does not exist', async () => {
    expect(await mintrail(['chain', 'check', 'gnosis'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set GNOSIS_TOKENS') as string,
    });
    expect((await mintrail(['chain', 'check', 'noble'])).code).toBe(2);
  });
});
