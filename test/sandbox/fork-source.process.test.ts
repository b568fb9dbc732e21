import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForkSource, startForkSource } from '../../sandbox/fork/fork-source.ts';
import { createUpstream, type Upstream } from '../../sandbox/fork/upstream.ts';
import { UpstreamAnswerError } from '../../sandbox/fork/upstream-errors.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { type Answer, type FakeEndpoint, startFakeEndpoint } from './fake-endpoint.ts';

const block = 10_000;
const past = '0x2710';
const account = `0x${'ab'.repeat(20)}`;
const newAccount = `0x${'cd'.repeat(20)}`;

describe('the source of a fork', () => {
  let folder: string;
  let asked: string[];
  let answer: (method: string) => unknown;
  let source: ForkSource;

  const upstream: Upstream = {
    trouble: () => undefined,
    async request(method, params) {
      asked.push(`${method} ${JSON.stringify(params)}`);
      return answer(method);
    },
  };
  const start = async () => {
    const file = path.join(folder, 'upstream.jsonl');
    source = await startForkSource({ upstream, block, file, port: await freePort(), newAccounts: [newAccount] });
  };
  const call = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(source.url, { method: 'POST', body });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    return error ?? result;
  };

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'mintrail-source-'));
    asked = [];
    answer = (method) => `${method} ${asked.length}`;
    await start();
  });
  afterEach(async () => {
    await source.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('asks for everything about the past once, at the same moment and after a restart', async () => {
    const balances = await Promise.all([call('eth_getBalance', account, past), call('eth_getBalance', account.toUpperCase(), past)]);
    await source.close();
    // A process that was killed while it wrote.
    appendFileSync(path.join(folder, 'upstream.jsonl'), '["eth_getcode [\\"0x');
    await start();
    expect([...balances, await call('eth_getBalance', account, past)]).toEqual(Array(3).fill('eth_getBalance 1'));
    await call('eth_getCode', account, past);
    await source.close();
    await start();
    expect(await call('eth_getCode', account, past)).toBe('eth_getCode 2');
    expect(asked).toHaveLength(2);
  });

  it('hands on requests that read, and nothing that the live network would carry out', async () => {
    expect(await call('eth_getLogs', { toBlock: past })).toBe('eth_getLogs 1');
    for (const method of ['eth_sendRawTransaction', 'eth_sendTransaction', 'personal_sign', 'eth_newFilter', 'eth_getAccountInfo'])
      expect(await call(method, '0x02')).toMatchObject({ code: -32601 });
    expect(asked).toHaveLength(1);
  });

  it.each<[string, Record<string, string>]>([
    ['a web page', { origin: 'https://attacker.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a name that a web page made resolve to this machine', { host: 'attacker.example' }],
  ])('refuses %s', async (_, headers) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [account, 'latest'] });
    const status = await new Promise((resolve, reject) => {
      const posted = request(source.url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode));
      posted.once('error', reject).end(body);
    });
    expect([status, asked]).toEqual([403, []]);
  });

  it('keeps no answer about the present, and no error', async () => {
    expect([await call('eth_getBalance', account, 'latest'), await call('eth_getBalance', account, 'latest')]).toEqual([
      'eth_getBalance 1',
      'eth_getBalance 2',
    ]);
    answer = () => {
      throw new UpstreamAnswerError({ code: 3, message: 'execution reverted', data: '0x01' });
    };
    expect(await call('eth_call', { to: account }, past)).toEqual({ code: 3, message: 'execution reverted', data: '0x01' });
    answer = () => '0x2a';
    expect(await call('eth_call', { to: account }, past)).toBe('0x2a');
  });

  it('asks once for a transaction that the live network does not have', async () => {
    answer = () => null;
    expect([await call('eth_getTransactionReceipt', '0x1'), await call('eth_getTransactionReceipt', '0x1')]).toEqual([null, null]);
    expect(asked).toHaveLength(1);
  });

  it('asks nothing of accounts that are new', async () => {
    const zero = `0x${'0'.repeat(64)}`;
    expect(await call('eth_getBalance', newAccount, past)).toBe('0x0');
    expect(await call('eth_getCode', newAccount, past)).toBe('0x');
    expect(await call('eth_getStorageAt', newAccount, '0x0', past)).toBe(zero);
    expect(asked).toEqual([]);
    answer = (method) => (method === 'eth_getCode' ? '0x' : '0x0');
    await call('eth_getCode', account, past);
    await call('eth_getTransactionCount', account, past);
    expect(await call('eth_getStorageAt', account, '0x0', past)).toBe(zero);
    expect(asked).toHaveLength(2);
  });

  it('asks for no hash that the next blocks overwrite, also after a restart, and for all others', async () => {
    const history = '0x0000f90827f1c53a10cb7a02335b175320002935';
    const slot = (number: number) => call('eth_getStorageAt', history, `0x${(number % 8_191).toString(16)}`, past);
    await slot(block);
    await slot(block + 1);
    await source.close();
    await start();
    await slot(block + 1);
    await slot(block + 2);
    expect(asked).toEqual([]);
    expect(await slot(block - 1)).toBe('eth_getStorageAt 1');
  });
});

describe('an upstream', () => {
  let endpoint: FakeEndpoint;
  const next: Answer[] = [];

  beforeEach(async () => {
    endpoint = await startFakeEndpoint(() => next.shift() ?? { result: '0x1' });
  });
  afterEach(() => endpoint.close());

  const open = (patienceMs = 60_000, timeoutMs = 10_000) =>
    createUpstream({ chain: 'gnosis', url: `${endpoint.url}/v1/SECRET?key=SECRET`, block, patienceMs, timeoutMs });

  it('repeats what a limit or an outage has turned down, and is well afterwards', async () => {
    const upstream = open();
    const faults: Answer[] = [
      { status: 429 },
      { status: 503 },
      'cuts',
      { text: '<html>' },
      { error: { code: -32005, message: 'slow down' } },
    ];
    for (const fault of faults) {
      next.push(fault);
      expect(await upstream.request('eth_chainId', [])).toBe('0x1');
    }
    expect(endpoint.requests()).toBe(2 * faults.length);
    expect(upstream.trouble()).toBeUndefined();
  });

  it.each<[string, Answer, string]>([
    ['is gone', 'cuts', 'cannot be reached'],
    ['is down', { status: 502 }, 'cannot be reached (HTTP 502)'],
    ['hangs', 'hangs', 'does not answer in time'],
    ['limits', { status: 429 }, 'limits how often it is called (HTTP 429): wait'],
    ['refuses the key', { status: 403 }, 'refuses the requests (HTTP 403): check the key'],
    ['is no node', { text: 'hello' }, 'cannot be reached (HTTP 200, no JSON-RPC answer)'],
    ['is no archive', { error: { code: -32000, message: 'missing trie node abc' } }, 'has no state of block 10000 any more'],
  ])('that %s is named with its chain, its host and a remedy, and without its key', async (_, fault, text) => {
    next.push(...Array<Answer>(60).fill(fault));
    const upstream = open(50, fault === 'hangs' ? 200 : undefined);
    const error = await upstream.request('eth_getBalance', []).catch((reason: unknown) => reason as Error);
    expect((error as Error).message).toContain(`The upstream of the fork of gnosis, ${new URL(endpoint.url).host}, ${text}`);
    expect((error as Error).message).toContain('npm start -- --fork gnosis=URL');
    expect((error as Error).message).not.toContain('SECRET');
    expect(upstream.trouble()?.text).toBe((error as Error).message);
    next.length = 0;
    await upstream.request('eth_chainId', []);
    expect(upstream.trouble()).toBeUndefined();
  });

  it('hands on an error that is the answer', async () => {
    next.push({ error: { code: 3, message: 'execution reverted', data: '0x01' } });
    await expect(open().request('eth_call', [])).rejects.toMatchObject({ error: { code: 3, data: '0x01' } });
    expect(endpoint.requests()).toBe(1);
  });
});
