import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createTestClient, createWalletClient, http, publicActions } from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../sandbox/chains/anvil.ts';
import { notedProcess } from '../../sandbox/process-identity.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { until } from '../support/until.ts';

let folder: string;
let chain: Anvil | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-chain-'));
});

afterEach(async () => {
  await chain?.close();
  rmSync(folder, { recursive: true });
});

const state = () => path.join(folder, 'state.json');
const snapshot = () => `${state()}.gz`;
const to = `0x${'77'.repeat(20)}` as const;
const client = () =>
  createTestClient({ mode: 'anvil', transport: http(chain?.url), cacheTime: 0, pollingInterval: 50 }).extend(publicActions);
const balance = () => client().getBalance({ address: to });

async function start(report?: (line: string) => void): Promise<void> {
  const options = { folder, chainId: 1337, mnemonic: `${'test '.repeat(11)}junk`, blockTimeSeconds: 1, logFile: path.join(folder, 'log') };
  chain = await startAnvil({ ...options, ...(report ? { report } : {}) });
}

/** Pays to an account that has nothing yet, and returns when the payment is in a block. */
async function pay(value: bigint): Promise<bigint> {
  const wallet = createWalletClient({ transport: http(chain?.url), account: fundedAccount(1).address });
  const { blockNumber } = await client().waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, value, chain: null }) });
  return blockNumber;
}

async function stored(block: bigint): Promise<void> {
  await until('a snapshot has the block', async () => (storedBlock() >= block ? true : undefined));
}

/** Starts a chain whose snapshot has a payment of 77. */
async function startPaid(): Promise<void> {
  await start();
  await stored(await pay(77n));
}

function storedBlock(): bigint {
  if (!existsSync(snapshot())) return -1n;
  const { best_block_number } = JSON.parse(gunzipSync(readFileSync(snapshot())).toString()) as { best_block_number: string };
  return BigInt(best_block_number);
}

const account = (index: number) => `0x${String(index).padStart(40, '0')}` as const;

async function kill(): Promise<void> {
  process.kill(notedProcess(path.join(folder, 'anvil.pid'))?.pid ?? 0, 'SIGKILL');
  await chain?.exited;
}

it('goes on from its last snapshot when it was killed', async () => {
  await start();
  const block = await pay(77n);
  await stored(block);
  await kill();
  await start();
  expect(await balance()).toBe(77n);
  expect(await client().getBlockNumber()).toBeGreaterThanOrEqual(block);
});

it('goes on from its last snapshot when it was killed while it wrote its end', async () => {
  await startPaid();
  await chain?.close();
  // Many places of the file end with a brace.
  truncateSync(state(), statSync(state()).size - 25);
  await start();
  expect(await balance()).toBe(77n);
});

it('stores a state of many parts whole', async () => {
  await start();
  // Bytes that cannot be compressed, so that the answer comes in many parts.
  const code = `0x${randomBytes(24_000).toString('hex')}` as const;
  for (let index = 1; index <= 40; index += 1) await client().setCode({ address: account(index), bytecode: code });
  await stored(await pay(77n));
  await kill();
  await start();
  expect(await client().getCode({ address: account(40) })).toBe(code);
});

it('takes no snapshot of a few empty blocks', async () => {
  await startPaid();
  // One that had begun may still be written behind the payment's.
  await until('a snapshot stays while three blocks come', async () => {
    const known = storedBlock();
    const next = (await client().getBlockNumber()) + 3n;
    await until('there are three more blocks', async () => ((await client().getBlockNumber()) >= next ? true : undefined));
    return storedBlock() === known || undefined;
  });
});

it('goes on from its end when it was stopped, although a snapshot is there, and has a later time after a copy', async () => {
  await startPaid();
  await client().setBalance({ address: to, value: 78n });
  await chain?.close();
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(snapshot(), later, later);
  await start();
  expect(await balance()).toBe(78n);
});

it('goes on from its snapshot when it was killed, although its clock was set back since its end', async () => {
  await startPaid();
  await chain?.close();
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(state(), later, later);
  await start();
  await stored(await pay(1n));
  await kill();
  await start();
  expect(await balance()).toBe(78n);
});

it('stores its state at once when it is asked to', async () => {
  await start();
  await client().setBalance({ address: to, value: 79n });
  await chain?.store();
  await kill();
  await start();
  expect(await balance()).toBe(79n);
});

it('begins with its end although the snapshot is damaged, and names the snapshot when there is nothing else', async () => {
  await startPaid();
  await chain?.close();
  truncateSync(snapshot(), statSync(snapshot()).size - 100);
  await start();
  expect(await balance()).toBe(77n);
  await chain?.close();
  rmSync(state());
  truncateSync(snapshot(), 0);
  await expect(start()).rejects.toMatchObject({ code: 'not_possible', message: expect.stringContaining(snapshot()) as string });
  expect(existsSync(`${state()}.new`)).toBe(false);
});

it('does not call its snapshot damaged when it cannot be unpacked because of the disk', async () => {
  await startPaid();
  await kill();
  rmSync(state(), { force: true });
  symlinkSync('/dev/full', `${state()}.new`);
  await expect(start()).rejects.toMatchObject({ code: 'ENOSPC' });
  await start();
  expect(await balance()).toBe(77n);
});

/** How many failed snapshots are in the log. */
const failures = () => readFileSync(path.join(folder, 'log'), 'utf8').split('state was not stored').length - 1;

it('tells the user once that its state cannot be stored', async () => {
  const lines: string[] = [];
  mkdirSync(`${snapshot()}.new`);
  await start((line) => void lines.push(line));
  await pay(1n);
  await until('the user is told', async () => lines[0]);
  await pay(1n);
  await until('a second snapshot has failed', async () => failures() > 1 || undefined);
  expect(lines).toMatchObject([expect.stringMatching(/state was not stored: EISDIR.*Folder: /) as string]);
});

it('refuses to begin with half a state and no snapshot', async () => {
  writeFileSync(state(), '{"block":{}');
  await expect(start()).rejects.toMatchObject({ code: 'not_possible', message: expect.stringContaining('npm start -- --fresh') as string });
});

it('a page in a browser of this machine gets no permission to call the chain, and what it sends without one is not carried out', async () => {
  await start();
  const mine = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params: [to, '0x1'] });
  const url = chain?.url ?? '';
  const Origin = 'https://evil.example';
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' },
  });
  const simple = await fetch(url, { method: 'POST', headers: { Origin, 'Content-Type': 'text/plain' }, body: mine });
  for (const answer of [preflight, simple]) expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
  expect(preflight.ok).toBe(false);
  expect(await balance()).toBe(0n);
});
