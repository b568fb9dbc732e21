import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestClient, createWalletClient, http, publicActions } from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Anvil } from '../../sandbox/chains/anvil.ts';
import { notedProcess } from '../../sandbox/process-identity.ts';
import { startRenewedAnvil } from '../../sandbox/chains/renewed-anvil.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { patienceMs } from '../support/patience.ts';
import { until } from '../support/until.ts';

let folder: string;
let chain: Anvil;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-renewed-'));
  const mnemonic = `${'test '.repeat(11)}junk`;
  const options = { folder, chainId: 1337, mnemonic, blockTimeSeconds: 0.05, logFile: path.join(folder, 'log') };
  chain = await startRenewedAnvil(options, 1_200);
});
afterEach(async () => {
  await chain?.close();
  rmSync(folder, { recursive: true });
});

/** The chain may be loaded anew before any request: nobody listens meanwhile. */
const patientFetch: typeof fetch = (input, init) => until('the chain answers', () => fetch(input, init).catch(() => undefined));
const transport = () => http(chain.url, { fetchFn: patientFetch, timeout: patienceMs });

const client = () => createTestClient({ mode: 'anvil', transport: transport(), cacheTime: 0, pollingInterval: 50 }).extend(publicActions);
const pid = () => notedProcess(path.join(folder, 'anvil.pid'))?.pid ?? 0;

/** A transaction that creates a contract whose creation writes a log. */
async function writeLog(): Promise<bigint> {
  const wallet = createWalletClient({ transport: transport(), account: fundedAccount(1).address });
  const hash = await wallet.sendTransaction({ data: '0x60006000a000', chain: null });
  return (await client().waitForTransactionReceipt({ hash })).blockNumber;
}

const logs = () => client().getLogs({ fromBlock: 0n, toBlock: 'latest' });

it('is loaded anew at rest after so many blocks, and loses old empty blocks alone', async () => {
  const written = await writeLog();
  await client().mine({ blocks: 200 });
  const [genesis, block] = await Promise.all([0n, written].map((blockNumber) => client().getBlock({ blockNumber })));
  const known = await logs();
  expect(known).toHaveLength(1);
  const before = pid();
  for (let batch = 0; batch < 3; batch += 1) await client().mine({ blocks: 400 });
  const head = await client().getBlock();

  await until('another process has the chain', async () => pid() !== before || undefined);
  expect(await client().getBlock({ blockNumber: head.number })).toMatchObject({ hash: head.hash });
  expect(await client().getBlock({ blockNumber: 0n })).toMatchObject({ hash: genesis?.hash });
  expect(await client().getBlock({ blockNumber: written })).toMatchObject({ hash: block?.hash });
  expect(await logs()).toEqual(known);
  await expect(client().getBlock({ blockNumber: written + 100n })).rejects.toThrow(/could not be found/);
  expect(await client().getBlock({ blockNumber: head.number - 900n })).toMatchObject({ number: head.number - 900n });
  expect(await writeLog()).toBeGreaterThan(head.number);
});

it('ends when it is killed', async () => {
  process.kill(pid(), 'SIGKILL');
  expect(await chain.exited).toMatchObject({ signal: 'SIGKILL' });
});
