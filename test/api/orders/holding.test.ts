import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHolding } from '../../../src/api/orders/holding.ts';
import { createRedemptionFinder } from '../../../src/indexed/redemptions.ts';
import { viewsSchema } from '../../../src/indexed/schema-names.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createTestApi, type TestApi } from '../support/test-api.ts';
import { redeemer } from './redeeming.ts';

let api: TestApi;
beforeAll(async () => void (api = await createTestApi()));
afterAll(() => api.close());

it('knows nothing of decided orders while the indexer has no tables', async () => {
  expect(await createRedemptionFinder(api.ledger)('chiado', [randomUUID()])).toEqual([]);
});

it('finds which open orders of an address the token contract has decided', async () => {
  const schema = viewsSchema('chiado');
  await api.pool.query(`create schema "${schema}"`);
  await api.pool.query(
    `create table "${schema}".outcome (order_id text, kind text, tx_hash text, token text, account text, amount numeric, block_number numeric, refused text)`,
  );
  const caller = await redeemer(api);
  const place = async () => (await caller.post('/orders', await caller.order())).json.id as string;
  const [burnt, open] = [await place(), await place()];
  await api.pool.query(`insert into "${schema}".outcome values ($1, 'redeem'), ($2, 'issue'), ($3, 'redeem')`, [burnt, open, randomUUID()]);
  const sources = { ...api.deps, findIndexedRedemptions: createRedemptionFinder(api.ledger) };
  const address = lowerAddress(caller.wallet.address);
  expect(await readHolding(sources, { chain: 'chiado', address, currency: 'eur' })).toEqual({
    units: 100_000n * 10n ** 18n,
    burnt: [burnt],
  });
  expect(await readHolding(sources, { chain: 'chiado', address, currency: 'gbp' })).toEqual({ units: 0n, burnt: [] });
});
