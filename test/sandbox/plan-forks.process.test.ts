import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseForks } from '../../sandbox/fork/fork-options.ts';
import { planForks } from '../../sandbox/fork/plan-forks.ts';
import { chainsOf, firstBlockOf, type Instance, saveInstance } from '../../sandbox/instance.ts';
import { type Answer, type FakeEndpoint, startFakeEndpoint } from './fake-endpoint.ts';

const hash = `0x${'12'.repeat(32)}` as const;

describe('the plan of forks', () => {
  let dataDir: string;
  let endpoint: FakeEndpoint;
  let results: Record<string, unknown>;

  beforeEach(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-plan-'));
    results = { eth_chainId: '0x64', eth_blockNumber: '0x3e8', eth_getBlockByNumber: { hash }, eth_getBalance: '0x0' };
    endpoint = await startFakeEndpoint((method): Answer => ({ result: results[method] ?? null }));
  });
  afterEach(async () => {
    await endpoint.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const plan = (fork: string, fresh = false) => planForks({ dataDir, fresh, requests: parseForks([fork], []) });
  const stored = (instance: Partial<Instance>) => saveInstance(dataDir, { mnemonic: 'test', networks: {}, ...instance });
  const known = () => ({ url: endpoint.url, block: 900, hash, inherited: {} });

  it('pins a new fork a little behind the head, or to the block that is named', async () => {
    expect(await plan(`gnosis=${endpoint.url}`)).toEqual({ gnosis: { ...known(), block: 992 } });
    expect(await plan(`gnosis=${endpoint.url}@900`)).toEqual({ gnosis: known() });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('refuses another chain, a block that is not there yet, and a node without its state', async () => {
    await expect(plan(`ethereum=${endpoint.url}`)).rejects.toMatchObject({ code: 'wrong_chain' });
    results['eth_getBlockByNumber'] = null;
    await expect(plan(`gnosis=${endpoint.url}@1001`)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('beyond the head') as string,
    });
    await expect(plan(`gnosis=${endpoint.url}@2`)).rejects.toMatchObject({
      message: expect.stringContaining('has no state of block 2') as string,
    });
  });

  it('goes on with the forks of a sandbox, and asks nothing when they are named again', async () => {
    stored({ forks: { gnosis: known() } });
    expect(await planForks({ dataDir, fresh: false, requests: [] })).toEqual({ gnosis: known() });
    expect(await plan(`gnosis=${endpoint.url}`)).toEqual({ gnosis: known() });
    expect(await plan(`gnosis=${endpoint.url}@900`)).toEqual({ gnosis: known() });
    expect(endpoint.requests()).toBe(0);
    expect(await planForks({ dataDir, fresh: true, requests: [] })).toEqual({});
  });

  it('takes another endpoint of the same network only', async () => {
    stored({ forks: { gnosis: { ...known(), url: 'http://gone.example' } } });
    expect(await plan(`gnosis=${endpoint.url}`)).toEqual({ gnosis: known() });
    results['eth_getBlockByNumber'] = { hash: `0x${'34'.repeat(32)}` };
    await expect(plan(`gnosis=${endpoint.url}`)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('begins at a block 900 that the new endpoint does not have') as string,
    });
  });

  it('begins at another block, or in the stead of a chain that has begun, only with empty data', async () => {
    stored({ forks: { gnosis: known() }, networks: { chiado: { genesis: hash, tokens: {} } } });
    for (const fork of [`gnosis=${endpoint.url}@901`, `chiado=${endpoint.url}`])
      await expect(plan(fork)).rejects.toMatchObject({
        code: 'not_possible',
        message: expect.stringContaining('--fresh') as string,
      });
    expect(await plan(`gnosis=${endpoint.url}@901`, true)).toMatchObject({ gnosis: { block: 901 } });
  });

  it('puts forks beside the fresh chains, or in their stead', () => {
    expect(chainsOf({})).toEqual(['chiado', 'sepolia', 'arbitrumsepolia']);
    expect(chainsOf({ forks: { gnosis: known(), sepolia: known() } })).toEqual(['gnosis', 'sepolia', 'chiado', 'arbitrumsepolia']);
    expect(chainsOf({ forks: { gnosis: known() }, fresh: [] })).toEqual(['gnosis']);
    expect(firstBlockOf({ forks: { gnosis: known() } }, 'gnosis')).toBe(901);
    expect(firstBlockOf({}, 'chiado')).toBe(0);
  });
});
