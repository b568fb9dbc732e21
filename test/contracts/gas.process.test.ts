import { size } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { eMoneyTokenBytecode } from '../../abis/bytecode.ts';
import { createGasMeter, type GasMeter, mostGas } from '../support/chain/gas.ts';
import { startLocalChain, transact } from '../support/chain/local-chain.ts';
import { deploySafeSuite } from '../support/chain/safe.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const chain = forWholeFile(startLocalChain);
let meter: GasMeter;

beforeAll(async () => {
  meter = await createGasMeter(chain, await deploySafeSuite(chain, chain.url, '1.4.1'));
});

test('issuing 100 orders to existing holders takes at most 10,900 gas each, and 11,000 where the batch begins words of the bitmap', async () => {
  const measured: number[] = [];
  // 200 sequence numbers each, so that these batches begin, continue and cross the bitmap's words of 256.
  for (let batch = 0; batch < 9; batch++) measured.push(await meter.issueToExistingHolders(100));
  expect(Math.max(...measured)).toBeLessThanOrEqual(11_000);
  expect(measured.toSorted((a, b) => a - b)[4]).toBeLessThanOrEqual(mostGas.issueToExistingHolder);
});

test('issuing 100 orders to new holders takes at most 28,000 gas each', async () => {
  // After the batches above, in the middle of a word of the bitmap.
  expect(await meter.issueToFreshHolders(100)).toBeLessThanOrEqual(mostGas.issueToFreshHolder);
});

test('redeeming 100 orders takes at most 45,000 gas each from keys', async () => {
  expect(await meter.redeemFromKeys(100)).toBeLessThanOrEqual(mostGas.redeemFromKey);
});

test('redeeming 100 orders takes at most 78,000 gas each from 2-of-3 Safes', async () => {
  expect(await meter.redeemFromSafes(100)).toBeLessThanOrEqual(mostGas.redeemFromSafe);
});

test('a transfer between holders takes at most 41,700 gas', async () => {
  expect(await meter.transfer()).toBeLessThanOrEqual(mostGas.transfer);
});

test('the code of the token fits a contract (EIP-170)', async () => {
  const { contractAddress } = await transact(chain, { data: eMoneyTokenBytecode });
  const code = await chain.getCode({ address: contractAddress as `0x${string}` });
  expect(size(code ?? '0x')).toBeGreaterThan(0);
  expect(size(code ?? '0x')).toBeLessThan(24_576);
});
