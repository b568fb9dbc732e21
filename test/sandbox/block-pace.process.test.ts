import path from 'node:path';
import { createTestClient, createWalletClient, http, publicActions } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../sandbox/chains/anvil.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { until } from '../support/until.ts';
import { testFolder } from '../support/test-folder.ts';

/** Blocks that follow one with a transaction: twice as many as lie behind `finalized`, and the confirmations. */
const settlingBlocks = 32n + 3n;

const to = `0x${'77'.repeat(20)}` as const;

const folder = testFolder();
let anvil: Anvil;

beforeAll(async () => {
  const mnemonic = `${'test '.repeat(11)}junk`;
  anvil = await startAnvil({
    folder,
    chainId: 1337,
    mnemonic,
    blockTimeSeconds: 0.05,
    confirmations: 3,
    logFile: path.join(folder, 'log'),
  });
});
afterAll(async () => {
  await anvil?.close();
});

const client = () =>
  createTestClient({ mode: 'anvil', transport: http(anvil.url), cacheTime: 0, pollingInterval: 20 }).extend(publicActions);
const send = (fees = {}) =>
  createWalletClient({ transport: http(anvil.url), account: fundedAccount(1).address }).sendTransaction({
    to,
    value: 1n,
    chain: null,
    ...fees,
  });
const blockOf = async (hash: `0x${string}`) => (await client().waitForTransactionReceipt({ hash })).blockNumber;

/** The newest block once it has been the newest for as long as some twenty blocks take where there is something to mine. */
async function restingBlock(): Promise<bigint> {
  let [newest, looks] = [-1n, 0];
  return until('the chain rests', async () => {
    const now = await client().getBlockNumber();
    looks = now === newest ? looks + 1 : 0;
    newest = now;
    return looks >= 20 ? newest : undefined;
  });
}

it('rests once a transaction is as deep as it is asked for, and goes on with the next', async () => {
  const first = await blockOf(await send());
  const resting = await restingBlock();
  // Anvil may have made one more, in its own time.
  expect(resting).toBeGreaterThanOrEqual(first + settlingBlocks);
  expect(resting).toBeLessThanOrEqual(first + settlingBlocks + 1n);
  expect(await blockOf(await send())).toBeLessThanOrEqual(resting + 2n);
});

it('makes blocks until the base fee is usual again, although nothing waits', async () => {
  await restingBlock();
  await client().setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 15n });
  await client().mine({ blocks: 1 });
  await expect(send({ maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 0n })).rejects.toThrow(/fee/);
  await restingBlock();
  expect((await client().getBlock()).baseFeePerGas).toBeLessThanOrEqual(10n ** 9n);
});

it('makes no block while the interval is 0, although a transaction waits', async () => {
  await client().setIntervalMining({ interval: 0 });
  const hash = await send();
  await restingBlock();
  expect((await client().getTransaction({ hash })).blockNumber).toBeNull();
  await client().setIntervalMining({ interval: 30 });
  expect(await blockOf(hash)).toBeGreaterThan(0n);
});

it('keeps the states behind the newest 32 blocks', async () => {
  await client().mine({ blocks: 100 });
  const newest = await restingBlock();
  expect(await client().getBalance({ address: to, blockNumber: newest - 28n })).toBe(3n);
  await expect(client().getBalance({ address: to, blockNumber: newest - 40n })).rejects.toThrow(/BlockOutOfRange/);
});
