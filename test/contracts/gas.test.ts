import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../support/chain/anvil.ts';
import { createGasMeter, type GasMeter } from '../support/chain/gas.ts';
import { connectLocalChain } from '../support/chain/local-chain.ts';
import { deploySafeSuite } from '../support/chain/safe.ts';

let anvil: Anvil;
let meter: GasMeter;

beforeAll(async () => {
  anvil = await startAnvil();
  const chain = connectLocalChain(anvil.url);
  meter = await createGasMeter(chain, await deploySafeSuite(chain, anvil.url, '1.4.1'));
}, 60_000);

afterAll(() => anvil.stop());

test('issuing 100 orders to existing holders takes at most 12,500 gas each, wherever the batch falls in the bitmap', async () => {
  const measured: number[] = [];
  // 200 sequence numbers each, so that these batches begin, continue and cross the bitmap's words of 256.
  for (let batch = 0; batch < 6; batch++) measured.push(await meter.issueToExistingHolders(100));
  expect(Math.max(...measured)).toBeLessThanOrEqual(12_500);
}, 60_000);

test('redeeming 100 orders takes at most 55,000 gas each from keys', async () => {
  expect(await meter.redeemFromKeys(100)).toBeLessThanOrEqual(55_000);
}, 60_000);

test('redeeming 10 orders takes at most 90,000 gas each from 2-of-3 Safes', async () => {
  expect(await meter.redeemFromSafes(10)).toBeLessThanOrEqual(90_000);
}, 60_000);
